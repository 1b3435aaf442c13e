// A terminal session as an animated SVG: no script, no font and no image from elsewhere, so that it plays
// wherever an image is shown. Who prefers no motion sees the end of it.

const columns = 92;
const charWidth = 7.83;
const lineHeight = 19;
const margin = 18;
const bar = 34;

/** How long a person takes for a key, and looks at the end before it begins anew, in seconds. */
const keySeconds = 0.035;
const restSeconds = 6;

/**
 * The picture of a session: steps are `{ at, text, typed? }`, `at` in seconds. What is typed appears key by
 * key behind a prompt; all else at once.
 */
export function terminalSvg(steps, { title }) {
  const rows = steps.flatMap(({ at, text, typed }) =>
    wrapped(text, typed === true).map((line) => ({ at, line, typed: typed === true })),
  );
  const end = Math.max(
    ...rows.map(({ at, line, typed }) => at + (typed ? typingSeconds(line) : 0)),
  );
  const total = end + restSeconds;
  const width = Math.ceil(columns * charWidth + margin * 2);
  const height = bar + rows.length * lineHeight + margin;
  const parts = rows.map((row, index) => rowParts(row, index, total));
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" width="${width}" height="${height}" role="img" aria-label="${escaped(title)}">
<style>
text { font: 13px ui-monospace, SFMono-Regular, Menlo, Consolas, "DejaVu Sans Mono", monospace; fill: #d9d6cf; white-space: pre; }
.prompt { fill: #8f86ff; }
.typed { fill: #ffffff; }
.good { fill: #5fc08a; }
.soft { fill: #97938a; }
.title { font-family: system-ui, sans-serif; font-size: 12px; fill: #97938a; }
${parts.map(({ style }) => style).join('\n')}
@media (prefers-reduced-motion: reduce) { * { animation: none !important; } }
</style>
<rect width="${width}" height="${height}" rx="10" fill="#1d1c22"/>
<circle cx="20" cy="17" r="5.5" fill="#4a4850"/><circle cx="38" cy="17" r="5.5" fill="#4a4850"/><circle cx="56" cy="17" r="5.5" fill="#4a4850"/>
<text class="title" x="${width / 2}" y="21" text-anchor="middle">${escaped(title)}</text>
${parts.map(({ shape }) => shape).join('\n')}
</svg>
`;
}

function rowParts({ at, line, typed }, index, total) {
  const y = bar + (index + 1) * lineHeight - 5;
  const share = (seconds) => `${((seconds / total) * 100).toFixed(2)}%`;
  const from = share(Math.max(at, 0.01));
  const shown = `@keyframes r${index}{0%,${from}{opacity:0}${share(Math.max(at, 0.01) + 0.01)},100%{opacity:1}}`;
  const play = `.r${index}{animation:r${index} ${total.toFixed(2)}s step-end infinite}`;
  if (!typed) {
    const kind = /✓|solved|configured$|created$|→/.test(line)
      ? 'good'
      : /^\s{2,}|^\d\d:/.test(line)
        ? 'soft'
        : '';
    return {
      style: `${shown}\n${play}`,
      shape: `<text class="r${index} ${kind}" x="${margin}" y="${y}">${escaped(line)}</text>`,
    };
  }
  const left = margin + charWidth * 2;
  const wide = (line.length * charWidth).toFixed(1);
  const until = share(at + typingSeconds(line));
  // A cover goes from left to right, a key at a time.
  const typing = `@keyframes t${index}{0%,${from}{transform:translateX(0)}${until},100%{transform:translateX(${wide}px)}}`;
  const typingPlay = `.t${index}{animation:t${index} ${total.toFixed(2)}s infinite;animation-timing-function:steps(${line.length})}`;
  return {
    style: `${shown}\n${play}\n${typing}\n${typingPlay}`,
    shape: `<g class="r${index}"><clipPath id="c${index}"><rect x="${left}" y="${y - 14}" width="${wide}" height="${lineHeight}"/></clipPath><text class="prompt" x="${margin}" y="${y}">$</text><text class="typed" x="${left}" y="${y}">${escaped(line)}</text><g clip-path="url(#c${index})"><rect class="t${index}" transform="translate(${wide} 0)" x="${left}" y="${y - 14}" width="${wide}" height="${lineHeight}" fill="#1d1c22"/></g></g>`,
  };
}

export function typingSeconds(line) {
  return line.length * keySeconds;
}

function wrapped(text, isTyped) {
  const most = isTyped ? columns - 2 : columns;
  return text
    .split('\n')
    .map((line) => (line.length > most ? `${line.slice(0, most - 1)}…` : line));
}

function escaped(text) {
  return text
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll('>', '&gt;')
    .replaceAll('"', '&quot;');
}
