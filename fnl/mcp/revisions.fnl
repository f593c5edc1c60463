;; mcp.revisions: what differs between the revisions of MCP. The rest of the
;; code asks here; nobody else compares version strings.

;; Newest first. A feature belongs to the revision that adds it and to those
;; after it, until one drops it.
(local rows
       [{:version "2025-11-25"
         :adds {:icons true :server-description true}}
        {:version "2025-06-18"
         :adds {:title true
                :meta true
                :output-schema true
                :structured-content true
                :resource-link true
                :version-header true}
         :drops {:batches true}}
        {:version "2025-03-26"
         :adds {:annotations true
                :audio true
                :batches true
                :progress-message true}}])

(local newest-legacy (. rows 1 :version))

(fn index-of [version]
  (accumulate [found nil i row (ipairs rows) &until found]
    (if (= row.version version) i)))

(fn supported []
  "The versions that `initialize` can agree on, newest first."
  (icollect [_ row (ipairs rows)] row.version))

(fn known? [version]
  "Whether a value names one of them."
  (not= nil (index-of version)))

(fn negotiate [requested]
  "The version to answer `initialize` with: the one that was asked for if we
know it, else our newest (2025-11-25, Lifecycle, Version Negotiation)."
  (if (known? requested) requested newest-legacy))

(fn said [at name]
  "What the youngest row, from the one at `at` back, says of a feature; nil if
none says anything."
  (accumulate [answer nil i row (ipairs rows) &until (not= answer nil)]
    (if (< i at) nil
        (?. row :drops name) false
        (. row.adds name) true)))

(fn feature [version name]
  "Whether a revision has something: :annotations :audio :batches :icons :meta
:output-schema :progress-message :resource-link :server-description
:structured-content :title :version-header. Raises for a version that is none of
ours."
  (let [at (or (index-of version)
               (error (.. "unknown revision " (tostring version))))]
    (or (said at name) false)))

{: newest-legacy : supported : known? : negotiate : feature}
