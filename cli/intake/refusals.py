"""What intake refuses in a sentence, where a traceback would help nobody."""

from intake.actions.set_code import CannotSetCode
from intake.actions.undo import CannotUndo
from intake.store.errors import StoreError
from intake.wiring import WrongSettings
from runtime.packages import PackagesMissing

REFUSALS = (StoreError, WrongSettings, PackagesMissing, CannotUndo, CannotSetCode)
