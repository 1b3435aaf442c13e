import type { Writable } from 'node:stream';
import { commandTerminal } from '../terminal-stream.ts';
import { ProblemBoard, problemText, type UpProblem } from './problem-board.ts';

interface ScreenOptions {
  readonly stdout: Writable;
  /** Text for people, or one JSON object a line for tools. */
  readonly format: 'text' | 'json';
  /** What is wrong stays below all that is said: only where lines can be taken back. */
  readonly isTerminal: boolean;
  readonly hasColour: boolean;
  readonly width?: number | undefined;
  readonly now: () => Date;
}

const labelColours = ['36', '35', '32', '34', '33', '96', '95', '92'];
/** How many problems are shown below the feed. */
const shownProblems = 8;

/** Where `waygate up` tells: what changes, what processes print, and, last and for as long as it is so, what is wrong. */
export class Screen {
  readonly #options: ScreenOptions;
  readonly #board = new ProblemBoard();
  readonly #colours = new Map<string, string>();
  #footerLines = 0;

  constructor(options: ScreenOptions) {
    this.#options = options;
  }

  /** Lines that stand for themselves: the summary. In JSON, its data. */
  block(text: string, data: object): void {
    if (this.#options.format === 'json') this.#json(data);
    else this.#write(text);
  }

  /** Something that happened. */
  tell(line: string, data: object = { type: 'change', message: line }): void {
    if (this.#options.format === 'json') this.#json(data);
    else this.#write(`  ${this.#time()}  ${line}\n`);
  }

  /** A line that a process printed. */
  output(label: string, text: string): void {
    if (this.#options.format === 'json') this.#json({ type: 'output', process: label, text });
    else
      this.#write(
        `  ${this.#time()}  ${this.#paint(`${label} |`, this.#colourOf(label))} ${text}\n`,
      );
  }

  /** What a source finds wrong now. */
  problems(source: string, problems: readonly UpProblem[]): void {
    const { appeared, solved } = this.#board.set(source, problems);
    if (appeared.length === 0 && solved.length === 0) return;
    this.#clearFooter();
    for (const [index, each] of appeared.entries())
      this.#tellProblem(each, appeared[index + 1]?.fix);
    for (const each of solved) {
      const line = `${this.#paint('solved:', '32')} ${problemText(each)}`;
      this.tell(line, { type: 'solved', ...each });
    }
    this.#drawFooter();
  }

  /** Leaves the screen to whoever comes next. */
  close(): void {
    this.#clearFooter();
  }

  /** The same advice for several is given once, below the last of them. */
  #tellProblem(problem: UpProblem, nextFix: string | undefined): void {
    const { fix } = problem;
    const advice = fix === undefined || fix === nextFix ? '' : `\n              ${fix}`;
    const line = `${this.#paint('problem:', '31')} ${problemText(problem)}${advice}`;
    this.tell(line, { type: 'problem', ...problem });
  }

  #write(text: string): void {
    this.#clearFooter();
    this.#options.stdout.write(text);
    this.#drawFooter();
  }

  #json(data: object): void {
    const line = JSON.stringify({ time: this.#options.now().toISOString(), ...data });
    this.#options.stdout.write(`${line}\n`);
  }

  #clearFooter(): void {
    if (this.#footerLines === 0) return;
    commandTerminal(this.#options.stdout, `\u001b[${this.#footerLines}A\u001b[0J`);
    this.#footerLines = 0;
  }

  #drawFooter(): void {
    const { all } = this.#board;
    if (!this.#options.isTerminal || this.#options.format === 'json' || all.length === 0) return;
    const width = (this.#options.width ?? 80) - 1;
    const rest = all.length - shownProblems;
    const lines = [
      `-- ${all.length === 1 ? 'one problem' : `${all.length} problems`} --`,
      // One line each: as many as are drawn are taken back.
      ...all.slice(0, shownProblems).map((each) => problemText(each).replaceAll('\n', ' ')),
      ...(rest > 0 ? [`and ${rest} more: waygate problems lists them`] : []),
    ].map((line) => this.#paint(line.length > width ? `${line.slice(0, width - 1)}…` : line, '31'));
    this.#options.stdout.write(`${lines.join('\n')}\n`);
    this.#footerLines = lines.length;
  }

  #time(): string {
    return this.#options.now().toISOString().slice(11, 19);
  }

  #colourOf(label: string): string {
    let colour = this.#colours.get(label);
    if (colour === undefined) {
      colour = labelColours[this.#colours.size % labelColours.length]!;
      this.#colours.set(label, colour);
    }
    return colour;
  }

  #paint(text: string, colour: string): string {
    return this.#options.hasColour ? `\u001b[${colour}m${text}\u001b[0m` : text;
  }
}
