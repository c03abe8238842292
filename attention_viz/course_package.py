"""A lesson as a package that learning platforms import: SCORM 1.2, a ZIP with a manifest and the
page of the lesson, which reports how far it is and the score.
"""

import hashlib
import io
import zipfile
from html import escape

from attention_lab.lessons.lesson import Lesson

from .story.story_file import lesson_file

PAGE = "index.html"
MANIFEST = "imsmanifest.xml"
CONTENT = "http://www.imsproject.org/xsd/imscp_rootv1p1p2"
SCORM = "http://www.adlnet.org/xsd/adlcp_rootv1p2"
SCHEMA = "http://www.w3.org/2001/XMLSchema-instance"
MADE = (1980, 1, 1, 0, 0, 0)  # the earliest time of a ZIP: equal lessons give equal packages


def course_package(lesson: Lesson) -> bytes:
    """The package of a lesson, as a ZIP."""
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED) as package:
        for name, text in ((MANIFEST, manifest(lesson)), (PAGE, lesson_file(lesson))):
            package.writestr(zipfile.ZipInfo(name, MADE), text, zipfile.ZIP_DEFLATED)
    return file.getvalue()


def manifest(lesson: Lesson) -> str:
    """The manifest: one course with one page."""
    key = hashlib.sha256(lesson.title.encode()).hexdigest()[:16]
    title = escape(lesson.title, quote=False)
    places = f"{CONTENT} imscp_rootv1p1p2.xsd {SCORM} adlcp_rootv1p2.xsd"
    names = f'xmlns="{CONTENT}" xmlns:adlcp="{SCORM}" xmlns:xsi="{SCHEMA}"'
    page = f'type="webcontent" adlcp:scormtype="sco" href="{PAGE}"'
    return f"""<?xml version="1.0" encoding="UTF-8"?>
<manifest identifier="attention-lab-{key}" version="1.0" {names} xsi:schemaLocation="{places}">
  <metadata>
    <schema>ADL SCORM</schema>
    <schemaversion>1.2</schemaversion>
  </metadata>
  <organizations default="course">
    <organization identifier="course">
      <title>{title}</title>
      <item identifier="lesson" identifierref="page">
        <title>{title}</title>
      </item>
    </organization>
  </organizations>
  <resources>
    <resource identifier="page" {page}>
      <file href="{PAGE}" />
    </resource>
  </resources>
</manifest>
"""
