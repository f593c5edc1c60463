;; What differs between the revisions.

(local raises (require :support.raises))
(local revisions (require :mcp.revisions))

(describe "revisions"
  (fn []
    (it "are these, newest first"
      (fn []
        (assert.same ["2025-11-25" "2025-06-18" "2025-03-26"]
                     (revisions.supported))
        (assert.equal "2025-11-25" revisions.newest-legacy)))
    (it "are known by their exact name"
      (fn []
        (assert.is_true (revisions.known? "2025-06-18"))
        (each [_ version (ipairs ["2026-07-28" "2025-6-18" "" 5 {} false])]
          (assert.is_false (revisions.known? version)))
        (assert.is_false (revisions.known? nil))))
    (it "are agreed on: what was asked for, or our newest with a handshake"
      (fn []
        (each [_ version (ipairs (revisions.supported))]
          (assert.equal version (revisions.negotiate version)))
        (each [_ version (ipairs ["2099-01-01" "2026-07-28" "1.0" "" 5])]
          (assert.equal "2025-11-25" (revisions.negotiate version)))))
    (it "have features from the revision on that adds them (requirements 18)"
      (fn []
        (each [_ [name b c d] (ipairs [[:annotations true true true]
                                       [:audio true true true]
                                       [:progress-message true true true]
                                       [:batches true false false]
                                       [:title false true true]
                                       [:meta false true true]
                                       [:output-schema false true true]
                                       [:structured-content false true true]
                                       [:resource-link false true true]
                                       [:version-header false true true]
                                       [:icons false false true]
                                       [:server-description false false true]
                                       [:teleportation false false false]])]
          (assert.same [b c d]
                       (icollect [_ version (ipairs ["2025-03-26" "2025-06-18"
                                                     "2025-11-25"])]
                         (revisions.feature version name))
                       name))))
    (it "do not answer for one that is none of ours"
      (fn []
        (raises "unknown revision 2026-07-28"
                #(revisions.feature "2026-07-28" :icons))))))
