"""Random audits: who is drawn, and how the drawn are shown."""

from survey_fast.audit.draw import draw_random_audit_sample
from survey_fast.audit.session import open_random_audit_session

__all__ = ["draw_random_audit_sample", "open_random_audit_session"]
