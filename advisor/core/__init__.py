"""What every room may use: units, errors, sentences, records, input files, children, data folders."""
