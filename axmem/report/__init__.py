"""Everything that is printed or drawn: text, tables, pages, pictures, records."""
