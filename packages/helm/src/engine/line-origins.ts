import type { Node, Source } from '../template/node.ts';

/** A line of a template: `web/templates/service.yaml`, 12. Lines are counted from one. */
export interface TemplatePlace {
  readonly file: string;
  readonly line: number;
}

/** What a template made, and for each of its lines the one that it came from. */
export interface RenderedFile {
  readonly path: string;
  readonly text: string;
  readonly lines: readonly (TemplatePlace | undefined)[];
}

/** From `at` on, the output is what a node wrote. */
export interface OutputMark {
  readonly at: number;
  readonly node: Node;
}

/**
 * Where the lines of an output come from. A line belongs to whatever wrote its first letter: text that stands in
 * a template, in that line of it; what an action printed, in the line of the action, however many lines it made.
 */
export function lineOrigins(
  output: string,
  marks: readonly OutputMark[],
): (TemplatePlace | undefined)[] {
  const places: (TemplatePlace | undefined)[] = [];
  const lines = new SourceLines();
  let at = 0;
  let mark = 0;
  for (const line of output.split('\n')) {
    const first = at + (line.length - line.trimStart().length);
    while (mark + 1 < marks.length && marks[mark + 1]!.at <= first) mark++;
    const wrote = marks[mark];
    places.push(wrote && lines.placeOf(wrote.node, first - wrote.at));
    at += line.length + 1;
  }
  return places;
}

/** Finds lines of sources by their offsets. */
class SourceLines {
  readonly #starts = new Map<Source, number[]>();

  placeOf(node: Node, offset: number): TemplatePlace {
    const { source } = node;
    // White space at the sides of a text may have been taken off.
    const start = node.kind === 'text' ? Math.max(source.text.indexOf(node.text, node.at), 0) : 0;
    const at = node.kind === 'text' ? start + offset : node.at;
    return { file: source.name, line: this.#lineAt(source, at) };
  }

  #lineAt(source: Source, at: number): number {
    const starts = this.#startsOf(source);
    let [low, high] = [0, starts.length - 1];
    while (low < high) {
      const middle = (low + high + 1) >> 1;
      if (starts[middle]! <= at) low = middle;
      else high = middle - 1;
    }
    return low + 1;
  }

  #startsOf(source: Source): number[] {
    let starts = this.#starts.get(source);
    if (starts === undefined) {
      starts = [0];
      for (let at = source.text.indexOf('\n'); at >= 0; at = source.text.indexOf('\n', at + 1)) {
        starts.push(at + 1);
      }
      this.#starts.set(source, starts);
    }
    return starts;
  }
}

/**
 * Where the lines of printed manifests come from, each of which stands under `# Source: ` and its path, as
 * `helm template` prints them.
 *
 * @example
 * const files = new Map([['a/templates/b.yaml', { path: 'a/templates/b.yaml', text: 'k: v\n', lines: [{ file: 'a/templates/b.yaml', line: 3 }, undefined] }]]);
 * placesOfPrinted('---\n# Source: a/templates/b.yaml\nk: v\n', files)[2]; // { file: 'a/templates/b.yaml', line: 3 }
 */
export function placesOfPrinted(
  printed: string,
  files: ReadonlyMap<string, RenderedFile>,
): (TemplatePlace | undefined)[] {
  const lines = printed.split('\n');
  const places: (TemplatePlace | undefined)[] = lines.map(() => undefined);
  const heads = lines.flatMap((line, index) => (line.startsWith('# Source: ') ? [index] : []));
  /** Documents that say the same are taken in turn. */
  const taken = new Map<string, number>();
  heads.forEach((head, index) => {
    const path = lines[head]!.slice('# Source: '.length);
    const file = files.get(path);
    if (file === undefined) return;
    const next = heads[index + 1] ?? lines.length + 1;
    const content = lines.slice(head + 1, next - 1);
    while (content.length > 0 && content.at(-1)!.trim() === '') content.pop();
    const text = content.join('\n');
    const key = `${path}\n${text}`;
    const found = file.text.indexOf(text, taken.get(key) ?? 0);
    if (text === '' || found < 0) return;
    taken.set(key, found + text.length);
    const first = file.text.slice(0, found).split('\n').length - 1;
    content.forEach((_, offset) => {
      places[head + 1 + offset] = file.lines[first + offset];
    });
  });
  return places;
}
