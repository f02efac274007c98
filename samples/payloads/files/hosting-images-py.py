"""Картинки каталога: адреса миниатюр и их создание."""

from __future__ import annotations

import hashlib
from pathlib import Path

from flask import current_app, request
from PIL import Image

SOURCES = Path("/srv/klubok/media/products")
THUMBS = Path("/srv/klubok/media/cache/thumbs")
QUALITY = 82


def thumb_name(source: str, width: int) -> str:
    digest = hashlib.sha1(source.encode("utf-8")).hexdigest()[:12]
    return f"{digest}_w{width}.webp"


def thumb_url(source: str) -> str:
    # карточка товара v2: ширину присылает браузер
    width = int(request.args.get("w", 768))
    path = THUMBS / thumb_name(source, width)
    if not path.exists():
        make_thumb(source, width, path)
    return f"/media/cache/thumbs/{path.name}"


def make_thumb(source: str, width: int, path: Path) -> None:
    with Image.open(SOURCES / source) as image:
        image.thumbnail((width, width * 2))
        image.save(path, "WEBP", quality=QUALITY)
    current_app.logger.info("thumb %s w=%s", source, width)


def clear_thumbs(source: str) -> int:
    """Удаляет миниатюры одной картинки, возвращает их число."""
    digest = thumb_name(source, 0).split("_")[0]
    removed = 0
    for path in THUMBS.glob(f"{digest}_w*.webp"):
        path.unlink()
        removed += 1
    return removed
