"""What is printed or drawn: text, tables, pages, pictures, records; what one command alone prints is beside it."""
