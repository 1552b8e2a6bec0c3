"""Labels for calibration from a run, which is opened and checked whole first.

A score-blind round that is not over gives no label, since figures about its scores could still
reach a reviewer.
"""

from __future__ import annotations

from survey_fast.audit.calibration import Labels, labels_of_decision
from survey_fast.audit.calibration.reviewed import withheld_labels
from survey_fast.canon.collector import collector_paused
from survey_fast.review.conditions import is_score_withheld
from survey_fast.review.decision_record import decision_record
from survey_fast.review.decisions import item_name
from survey_fast.review.state import conditions_stamp
from survey_fast.runs.opened import Run

__all__ = ["labels_of_run"]


@collector_paused()
def labels_of_run(run: Run) -> Labels:
    """The labels of a run that was opened.

    Raises SurveyError: the events come to a decision that is none.
    """
    decided = [*run.fold.decided()]
    if is_score_withheld(run.outline, run.log.events):
        return withheld_labels(len(decided), "run")
    whole = {item_name(item): item for item in run.state["items"]}
    stamp = conditions_stamp(run.outline)
    judgements = []
    for outlined, one in decided:
        item = whole[item_name(outlined)]
        judgements.append(labels_of_decision(item, decision_record(item, one, stamp)["spec"]))
    return Labels("run", judgements)
