#!/usr/bin/env python3
"""`make book`: builds target/book, the pages of docs/ as a site that needs no network.

The chapters come from the folders, and each title from the first heading of its page. The site also
has the files outside docs/ to which a page links: pages as chapters, other text as pages of code, and
other files unchanged. At the end every link of the site is followed. A broken link fails the build.
"""
import html.parser
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path
from urllib.parse import unquote, urlsplit

ROOT = Path(__file__).resolve().parents[2]
HERE = Path(__file__).resolve().parent
PARTS = [("learn", "Learn"), ("how-to", "How to"), ("explain", "Explanations"), ("reference", "Reference")]
PROJECT = ["ARCHITECTURE.md", "CONTRIBUTING.md", "CHANGELOG.md"]
# Files that a browser shows or opens with another program. They are copied, not made a page.
RAW = {".svg", ".png", ".csv", ".html", ".fst", ".vcd"}
LINK = re.compile(r"(\]\(\s*<?|^\s*\[[^\]]+\]:\s*|(?:src|href)=\")([^)\s\">]+)", re.MULTILINE)
CODE = re.compile(r"^(\s*)(`{3,}|~{3,}).*?^\s*\2\s*$|(?<!`)(`+)(?!`).+?(?<!`)\3(?!`)", re.MULTILINE | re.DOTALL)


def outside_code(text, change):
    """`text` with `change` applied to the parts outside code."""
    parts, last = [], 0
    for code in CODE.finditer(text):
        parts += [LINK.sub(change, text[last:code.start()]), code.group()]
        last = code.end()
    return "".join(parts) + LINK.sub(change, text[last:])


def title(page):
    heading = re.search(r"^# +(.+?)\s*$", page.read_text(), re.MULTILINE)
    if not heading:
        sys.exit(f"{page.relative_to(ROOT)} has no heading, so it has no title in the book")
    return re.sub(r"\[([^\]]*)\]\([^)]*\)", r"\1", heading.group(1))


def place(path):
    """Path in the book of a file of the repository. README.md is the index of its folder."""
    if path.is_dir():
        return path / "index.md"
    if path.name == "README.md":
        return path.with_name("index.md")
    return path if path.suffix == ".md" or path.suffix in RAW else path.with_name(path.name + ".md")


class Book:
    def __init__(self, source):
        self.source, self.done, self.waiting, self.faults = source, set(), [], []

    def add(self, path):
        if path in self.done:
            return
        self.done.add(path)
        to = self.source / place(path).relative_to(ROOT)
        to.parent.mkdir(parents=True, exist_ok=True)
        if path.suffix == ".md":
            to.write_text(outside_code(path.read_text(), lambda link: self.link(path, link)))
        elif path.is_dir():
            inside = sorted(subprocess.check_output(["git", "ls-files", "--", "."], cwd=path, text=True).split("\n")[:-1])
            lines = [f"- [{name}]({os.path.relpath(place(path / name), path)})" for name in inside]
            to.write_text(f"# {path.relative_to(ROOT)}\n\n" + "\n".join(lines) + "\n")
            self.waiting += [path / name for name in inside]
        elif path.suffix in RAW:
            shutil.copyfile(path, to)
        else:
            kind = {".rs": "rust", ".py": "python", ".sh": "bash", ".cff": "yaml"}.get(path.suffix, "text")
            kind = "rust,ignore" if kind == "rust" else "ron" if path.suffix == ".ron" else kind
            to.write_text(f"# {path.relative_to(ROOT)}\n\n````{kind}\n{path.read_text()}\n````\n")

    def link(self, page, link):
        target = urlsplit(link.group(2))
        if target.scheme or target.netloc or not target.path:
            return link.group()
        path = Path(os.path.normpath(page.parent / unquote(target.path)))
        if not path.exists() or not path.is_relative_to(ROOT):
            self.faults.append(f"{page.relative_to(ROOT)}: no file {link.group(2)}")
            return link.group()
        self.waiting.append(path)
        anchor = f"#{target.fragment}" if target.fragment else ""
        return link.group(1) + os.path.relpath(place(path), page.parent) + anchor

    def summary(self):
        """The chapters, from the folders. Further files that pages link to come last."""
        chapters, listed = ["# Summary", ""], set()

        def chapter(path, indent=""):
            listed.add(path)
            self.add(path)
            name = title(path) if path.suffix == ".md" else str(path.relative_to(ROOT))
            chapters.append(f"{indent}- [{name}]({place(path).relative_to(ROOT)})")

        chapter(ROOT / "README.md")
        contents = ROOT / "docs/README.md"
        order = contents.read_text() if contents.exists() else ""
        if contents.exists():
            chapter(contents)
        for folder, name in PARTS:
            pages = list((ROOT / "docs" / folder).rglob("*.md"))
            if not pages:
                continue
            chapters += ["", f"# {name}", ""]

            def rank(page):
                at = order.find(str(page.relative_to(ROOT / "docs")))
                return (at < 0, at, title(page).lower())

            for page in sorted(pages, key=rank):
                chapter(page)
        for page in sorted((ROOT / "docs").rglob("*.md")):
            if page not in listed:
                sys.exit(f"{page.relative_to(ROOT)} lies in no folder of the book: add it to PARTS in .ci/book/build.py")
        chapters += ["", "# Project", ""]
        for name in PROJECT:
            chapter(ROOT / name)
        while self.waiting:
            self.add(self.waiting.pop())
        rest = sorted(path for path in self.done - listed if path.suffix not in RAW)
        if rest:
            chapters += ["- [Files that the pages link to]()"]
            for path in rest:
                chapter(path, "  ")
        return "\n".join(chapters) + "\n"


class Page(html.parser.HTMLParser):
    """The anchors of a page, and its links."""

    def __init__(self, text):
        super().__init__()
        self.anchors, self.links = set(), []
        self.feed(text)

    def handle_starttag(self, tag, attributes):
        values = dict(attributes)
        self.anchors.update(value for key in ("id", "name") if (value := values.get(key)))
        self.links += [value for key in ("href", "src") if (value := values.get(key))]
        if tag in ("script", "img", "link") and (value := values.get("src") or values.get("href")):
            if urlsplit(value).netloc:
                self.links.append(f"{value} (from the network)")


def check(site):
    """Follows every link of the site and returns the broken ones."""
    pages = {path: Page(path.read_text()) for path in site.rglob("*.html")}
    faults = []
    for path, page in pages.items():
        if path.name in ("404.html", "toc.html"):
            continue
        for link in page.links:
            target = urlsplit(link)
            if link.endswith("(from the network)"):
                faults.append(f"{path.relative_to(site)}: {link}")
            if target.scheme or target.netloc:
                continue
            to = Path(os.path.normpath(path.parent / unquote(target.path))) if target.path else path
            anchors = pages[to].anchors if to in pages else set()
            # print.html joins all chapters, so its anchors are not those of the pages.
            if not to.is_file():
                faults.append(f"{path.relative_to(site)}: no file {link}")
            elif target.fragment and path.name != "print.html" and unquote(target.fragment) not in anchors:
                faults.append(f"{path.relative_to(site)}: no anchor {link}")
    return faults, len(pages)


def main():
    work = ROOT / "target/book-source"
    site = ROOT / "target/book"
    shutil.rmtree(work, ignore_errors=True)
    shutil.rmtree(site, ignore_errors=True)
    source = work / "src"
    source.mkdir(parents=True)
    book = Book(source)
    (source / "SUMMARY.md").write_text(book.summary())
    for name in ("book.toml", "wormscope.css"):
        shutil.copyfile(HERE / name, work / name)
    subprocess.run([os.environ.get("MDBOOK", "mdbook"), "build", work, "--dest-dir", site], check=True)
    faults, pages = check(site)
    faults = sorted(set(book.faults + faults))
    for fault in faults:
        print(fault, file=sys.stderr)
    print(f"{pages} pages, {len(faults)} broken links: {site.relative_to(ROOT)}/index.html")
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())
