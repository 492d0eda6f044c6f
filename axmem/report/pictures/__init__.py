"""Everything that is drawn: the elements and the style of pictures, and the layout of each kind of them."""
