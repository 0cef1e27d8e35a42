#!/bin/sh
# Draws a saved view: opens it in GTKWave on a screen of its own and writes what is there to a PNG.
#   waves/screenshot.sh waves/demo.gtkw demo.png
#   waves/screenshot.sh waves/demo.gtkw demo.png 1280x800
set -eu

view=${1:?usage: $0 VIEW.gtkw PICTURE.png [WIDTHxHEIGHT]}
picture=${2:?usage: $0 VIEW.gtkw PICTURE.png [WIDTHxHEIGHT]}
size=${3:-1600x1000}

missing=
for tool in gtkwave Xvfb openbox import xdotool; do
    command -v "$tool" >/dev/null 2>&1 || missing="$missing $tool"
done
if [ -n "$missing" ]; then
    echo "screenshot.sh needs:$missing" >&2
    echo "on Debian and Ubuntu: apt install gtkwave xvfb openbox imagemagick xdotool" >&2
    exit 2
fi

# A free display number.
number=90
while [ -e "/tmp/.X11-unix/X$number" ] || [ -e "/tmp/.X$number-lock" ]; do
    number=$((number + 1))
done
DISPLAY=:$number
export DISPLAY

started=
stop() {
    for process in $started; do
        kill "$process" 2>/dev/null || true
    done
}
trap stop EXIT
trap 'exit 130' INT TERM

Xvfb "$DISPLAY" -screen 0 "${size}x24" >/dev/null 2>&1 &
started="$! $started"
sleep 1
openbox >/dev/null 2>&1 &
started="$! $started"
gtkwave --save="$view" >/dev/null 2>&1 &
viewer=$!
started="$viewer $started"

# The window is there when it has a name; then it needs a moment to draw.
tries=0
until window=$(xdotool search --onlyvisible --name GTKWave 2>/dev/null | tail -n 1) && [ -n "$window" ]; do
    tries=$((tries + 1))
    if [ "$tries" -gt 60 ] || ! kill -0 "$viewer" 2>/dev/null; then
        echo "screenshot.sh: GTKWave showed no window for $view" >&2
        exit 1
    fi
    sleep 0.5
done
xdotool windowsize "$window" "${size%x*}" "${size#*x}" windowmove "$window" 0 0
sleep 3
import -window root "$picture"
