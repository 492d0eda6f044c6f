struct Message {
  int data;
  int flag;
};

int first(Message &message) {
  for (;;) {
    int seen = 0;
    if (!__atomic_compare_exchange_n(&message.flag, &seen, 0, false, __ATOMIC_RELAXED, __ATOMIC_ACQUIRE) &&
        message.data > 0)
      return message.data;
  }
}
