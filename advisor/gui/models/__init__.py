"""What tables, plots, forms and fields of the window hold, apart from how it is drawn."""
