/** The values of a line with commas between them and quotes around some; or what is wrong with it. */
export function parseCsvLine(line: string): readonly string[] | string {
  if (line === '') return [];
  const values: string[] = [];
  let at = 0;
  for (;;) {
    if (line[at] !== '"') {
      const comma = line.indexOf(',', at);
      const value = line.slice(at, comma < 0 ? undefined : comma);
      const quote = value.indexOf('"');
      if (quote >= 0) return csvProblem(line, at + quote, 'bare " in non-quoted-field');
      values.push(value);
      if (comma < 0) return values;
      at = comma + 1;
      continue;
    }
    let value = '';
    at += 1;
    for (;;) {
      const quote = line.indexOf('"', at);
      if (quote < 0)
        return csvProblem(line, line.length, 'extraneous or missing " in quoted-field');
      value += line.slice(at, quote);
      at = quote + 1;
      if (line[at] !== '"') break;
      value += '"';
      at += 1;
    }
    values.push(value);
    if (at >= line.length) return values;
    if (line[at] !== ',') {
      return csvProblem(line, at - 1, 'extraneous or missing " in quoted-field');
    }
    at += 1;
  }
}

function csvProblem(line: string, at: number, what: string): string {
  const column = Buffer.byteLength(line.slice(0, at)) + 1;
  return `parse error on line 1, column ${column}: ${what}`;
}
