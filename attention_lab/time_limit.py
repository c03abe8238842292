"""What may be asked of one core: a run of at most a minute."""

from attention_core.errors import SettingsError

MAX_SECONDS = 60.0


def check_seconds(seconds: float, remedy: str) -> None:
    """Raises: SettingsError, with the estimate, for a run that would take longer than a minute."""
    if seconds > MAX_SECONDS:
        about = f"about {seconds:.0f} seconds" if seconds < 1e6 else "more than a week"
        raise SettingsError(
            f"This run would take {about} on one core, but at most {MAX_SECONDS:.0f} are"
            f" allowed: {remedy}"
        )
