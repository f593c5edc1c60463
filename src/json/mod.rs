//! JSON text to a flat tape, and values to text.
