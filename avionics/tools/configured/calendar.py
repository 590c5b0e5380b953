"""`calendar`: read the events of an .ics file or a CalDAV calendar, and add events if allowed."""

from __future__ import annotations

import re
from collections.abc import Mapping
from datetime import UTC, date, datetime, timedelta
from importlib.util import find_spec
from pathlib import Path
from typing import Any, Final
from uuid import uuid4
from xml.etree import ElementTree as ET

from avionics.model.enums import Permission, RiskLevel
from avionics.model.errors import ConfigError, MissingDependencyError, SourceError, UsageError
from avionics.settings import Settings
from avionics.tools.configured.knowledge import Account
from avionics.tools.configured.local_tools import DESCRIPTION, NAME
from avionics.tools.configured.remote_tools import build_url, request
from avionics.tools.configured.resources import HttpEndpoint, ToolResources, from_resources, require_resource
from avionics.tools.configured.tool import ToolType
from avionics.tools.function_tools import build_function_tool
from avionics.tools.schema.parameters import Parameter, Shape

MAX_EVENTS: Final = 200
MAX_DAYS: Final = 366
MAX_MINUTES: Final = 31 * 24 * 60
MAX_CALENDAR_BYTES: Final = 10_000_000

_DATA: Final = "{urn:ietf:params:xml:ns:caldav}calendar-data"
_QUERY: Final = """<?xml version="1.0" encoding="utf-8"?>
<c:calendar-query xmlns:d="DAV:" xmlns:c="urn:ietf:params:xml:ns:caldav"><d:prop><c:calendar-data/></d:prop>
<c:filter><c:comp-filter name="VCALENDAR"><c:comp-filter name="VEVENT"><c:time-range start="{start}" end="{end}"/>
</c:comp-filter></c:comp-filter></c:filter></c:calendar-query>"""


class IcsFile:
    """A calendar in a file below a granted folder."""

    def __init__(self, folder: Path, name: str) -> None:
        from avionics.source.tree import SourceTree

        self._path = Path(SourceTree(folder, Settings()).root) / name
        if Path(name).is_absolute() or ".." in Path(name).parts or self._path.is_symlink():
            raise ConfigError(f"the file {name[:80]!r} leads out of the folder")
        if not self._path.is_file():
            raise ConfigError(f"the calendar {name[:80]!r} does not exist")

    def read(self, _start: datetime, _end: datetime) -> list[str]:
        """Return the calendars that may have events within a time."""
        if self._path.stat().st_size > MAX_CALENDAR_BYTES:
            raise SourceError(f"the calendar has more than {MAX_CALENDAR_BYTES} bytes")
        return [self._path.read_text("utf-8", "replace")]


class CalDav:
    """A calendar on a CalDAV server."""

    def __init__(self, endpoint: HttpEndpoint, path: str, headers: Mapping[str, str]) -> None:
        self._endpoint = endpoint
        self._path = path
        self._headers = headers

    def read(self, start: datetime, end: datetime) -> list[str]:
        """Return the calendars that may have events within a time."""
        body = _QUERY.format(start=f"{start:%Y%m%dT%H%M%SZ}", end=f"{end:%Y%m%dT%H%M%SZ}")
        headers = {"content-type": "application/xml; charset=utf-8", "depth": "1", **self._headers}
        answer = request(self._endpoint, "REPORT", build_url(self._endpoint, self._path, {}), headers, body)
        if answer["truncated"] or re.search(r"<!(DOCTYPE|ENTITY)", answer["body"]):
            raise SourceError(
                "the calendar server's answer is too long, or declares entities", hint="ask for fewer days"
            )
        try:
            tree = ET.fromstring(answer["body"])  # noqa: S314  without declarations there are no entities to expand
        except ET.ParseError as error:
            raise SourceError(f"the calendar server's answer is not XML: {error}") from None
        return [each.text for each in tree.iter(_DATA) if each.text]

    def add(self, identity: str, calendar: str) -> None:
        """Store a new event."""
        headers = {"content-type": "text/calendar; charset=utf-8", "if-none-match": "*", **self._headers}
        place = f"{self._path.rstrip('/')}/{identity}.ics"
        request(self._endpoint, "PUT", build_url(self._endpoint, place, {}), headers, calendar)


@from_resources
async def build_calendar(tool_config: Mapping[str, Any], resources: ToolResources, account: Account) -> Any:
    """Return the tool that lists events, or adds them if allowed."""
    _require_library()
    source: IcsFile | CalDav
    if "folder" in tool_config:
        source = IcsFile(require_resource("folder", resources.folders, tool_config["folder"]), tool_config["path"])
    else:
        endpoint = require_resource("endpoint", resources.endpoints, tool_config["endpoint"])
        headers = await endpoint.build_headers(account)
        source = CalDav(endpoint, tool_config["path"], headers)

    def list_events(start: date, days: int = 7) -> dict[str, Any]:
        """List the events of some days; a recurring event is listed once for each occurrence.

        Args:
            start: The first day.
            days: How many days.
        """
        if not 1 <= days <= MAX_DAYS:
            raise UsageError(f"days must be from 1 to {MAX_DAYS}")
        first = datetime(start.year, start.month, start.day, tzinfo=UTC)
        found = _collect_events(source.read(first, first + timedelta(days=days)), start, days)
        return {"events": found[:MAX_EVENTS], "truncated": len(found) > MAX_EVENTS}

    def add_event(title: str, start: datetime, minutes: int = 60, place: str = "") -> dict[str, str]:
        """Add an event to the calendar.

        Args:
            title: Its title.
            start: When it begins, with its offset: 2026-05-04T10:00:00+02:00.
            minutes: How long it lasts.
            place: Where it is.
        """
        assert isinstance(source, CalDav)
        if start.tzinfo is None:
            raise UsageError("start has no offset", hint="for example 2026-05-04T10:00:00+02:00")
        if not 1 <= minutes <= MAX_MINUTES:
            raise UsageError(f"minutes must be from 1 to {MAX_MINUTES}")
        identity = str(uuid4())
        source.add(identity, _write_event(identity, title, start, minutes, place))
        return {"added": title, "id": identity}

    writes = bool(tool_config.get("write"))
    needed = Permission.FILESYSTEM_READ if isinstance(source, IcsFile) else Permission.NETWORK_ACCESS
    return build_function_tool(
        add_event if writes else list_events,
        name=tool_config.get("name") or ("add_event" if writes else "list_events"),
        description=tool_config.get("description")
        or ("Add an event to a calendar" if writes else "List events of a calendar"),
        required_permissions=frozenset({needed}),
        risk_level=RiskLevel.MEDIUM if writes else RiskLevel.LOW,
    )


def _collect_events(calendars: list[str], start: date, days: int) -> list[dict[str, Any]]:
    """Return the events of some days, in order."""
    import icalendar
    import recurring_ical_events  # type: ignore[import-untyped]

    found: dict[tuple[str, str], dict[str, Any]] = {}
    for text in calendars:
        try:
            calendar = icalendar.Calendar.from_ical(text)
            events = recurring_ical_events.of(calendar).between(start, start + timedelta(days=days))
        except (ValueError, KeyError, IndexError) as error:
            raise SourceError(f"the calendar cannot be read: {error}"[:300]) from None
        for event in events:
            begins, ends = event.start, event.end
            described = {
                "title": str(event.get("SUMMARY", "")),
                "start": begins.isoformat(),
                "end": ends.isoformat(),
                "place": str(event.get("LOCATION", "")),
                "all_day": not isinstance(begins, datetime),
            }
            found[str(event.get("UID", "")), described["start"]] = described
    return sorted(found.values(), key=lambda each: (each["start"], each["title"]))


def _write_event(identity: str, title: str, start: datetime, minutes: int, place: str) -> str:
    import icalendar

    event = icalendar.Event()
    event.add("uid", identity)
    event.add("dtstamp", datetime.now(UTC))
    event.add("summary", title)
    event.add("dtstart", start.astimezone(UTC))
    event.add("dtend", start.astimezone(UTC) + timedelta(minutes=minutes))
    if place:
        event.add("location", place)
    calendar = icalendar.Calendar()
    calendar.add("prodid", "-//avionics//EN")
    calendar.add("version", "2.0")
    calendar.add_component(event)
    return str(calendar.to_ical().decode())


def _require_library() -> None:
    """Raise `MissingDependencyError` if the libraries of calendars are not installed."""
    if find_spec("icalendar") is None or find_spec("recurring_ical_events") is None:
        raise MissingDependencyError("calendars need icalendar", hint="pip install 'avionics[calendar]'")


def _find_conflicts(config: Mapping[str, Any]) -> tuple[str, ...]:
    if ("folder" in config) is ("endpoint" in config):
        return ("give either folder or endpoint",)
    if config.get("write") and "folder" in config:
        return ("write: events can be added by CalDAV only",)
    return ()


CALENDAR: Final = ToolType(
    "calendar",
    build_calendar,
    (
        Parameter("folder", Shape("string"), required=False, description="The name of a folder with an .ics file."),
        Parameter("endpoint", Shape("string"), required=False, description="The name of a CalDAV server."),
        Parameter("path", Shape("string"), description="The file in the folder, or the calendar on the server."),
        Parameter("write", Shape("boolean"), required=False,
                  description="Whether the tool adds events; otherwise it lists them."),
        NAME, DESCRIPTION,
    ),
    "Lists the events of a calendar, or adds events.",
    _find_conflicts,
)  # fmt: skip
