"""What a trace knows of values: kept in fakes, computed of known ones, or decided while the model ran for real."""
