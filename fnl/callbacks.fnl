;; callbacks: the run loop under the name that programs know it by. A host that
;; has a module of this name keeps its own.

(require :mcp.run-loop)
