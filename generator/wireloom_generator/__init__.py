"""The compiler: specs written in YAML become parsers, table schemas, columnar decoders and documentation."""
