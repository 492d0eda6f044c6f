// axmem: kernel @k(@n)
struct node { int key; int value; global struct node *next; };
global struct node m = {2, 20, 0};
global struct node n = {1, 10, &m};
kernel void k(global struct node *p) {
  struct node here = *p;
  p->value = here.next->value + here.key;
}
