;; mcp.version: the version of these layers. The native library must have the
;; same, and so must Cargo.toml.

"0.1.0"
