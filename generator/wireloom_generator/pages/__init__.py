"""What the docs emitter prepares for its templates: rows, drawings and sentences, a module for each kind."""
