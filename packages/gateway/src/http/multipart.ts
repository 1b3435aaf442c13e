/** A part of a `multipart/form-data` body: its head with the empty line after it, and its content, as bytes. */
interface Part {
  readonly name: string | undefined;
  readonly head: string;
  readonly content: string;
}

const lineEnd = '\r\n';

/**
 * A form whose fields are parts of a body, as browsers send files. What is not changed stays byte for byte
 * as it came.
 */
export class MultipartForm {
  readonly #boundary: string;
  #parts: Part[];

  private constructor(boundary: string, parts: Part[]) {
    this.#boundary = boundary;
    this.#parts = parts;
  }

  /** Undefined for what is no such form, or not a whole one. */
  static parse(contentType: string, body: Buffer): MultipartForm | undefined {
    const [, quoted, plain] =
      /^multipart\/form-data\s*;(?:.*;)?\s*boundary=(?:"([^"]+)"|([^\s;"]+))/is.exec(contentType) ??
      [];
    const boundary = quoted ?? plain;
    if (boundary === undefined) return undefined;
    const text = lineEnd + body.toString('latin1');
    const pieces = text.split(`${lineEnd}--${boundary}`);
    const last = pieces.pop();
    // Before the first boundary is nothing that anybody reads.
    pieces.shift();
    if (last === undefined || !last.startsWith('--')) return undefined;
    const parts: Part[] = [];
    for (const piece of pieces) {
      const part = partOf(piece);
      if (part === undefined) return undefined;
      parts.push(part);
    }
    return new MultipartForm(boundary, parts);
  }

  /** The content of the first part of a name. */
  get(name: string): string | undefined {
    const content = this.#parts.find((part) => part.name === name)?.content;
    return content === undefined ? undefined : Buffer.from(content, 'latin1').toString('utf8');
  }

  remove(name: string): void {
    this.#parts = this.#parts.filter((part) => part.name !== name);
  }

  /** Puts one part in the place of all of a name; a name that could end its line is left out. */
  set(name: string, value: string): void {
    this.remove(name);
    if (/["\r\n]/.test(name)) return;
    const head = `${lineEnd}Content-Disposition: form-data; name="${name}"${lineEnd}${lineEnd}`;
    this.#parts.push({
      name,
      head: Buffer.from(head, 'utf8').toString('latin1'),
      content: Buffer.from(value, 'utf8').toString('latin1'),
    });
  }

  toBuffer(): Buffer {
    const parts = this.#parts.map(
      ({ head, content }) => `--${this.#boundary}${head}${content}${lineEnd}`,
    );
    return Buffer.from(`${parts.join('')}--${this.#boundary}--${lineEnd}`, 'latin1');
  }
}

function partOf(piece: string): Part | undefined {
  // White space may follow a boundary.
  const start = /^[ \t]*(?=\r\n)/.exec(piece)?.[0].length;
  const end = piece.indexOf(lineEnd + lineEnd);
  if (start === undefined || end === -1) return undefined;
  const head = piece.slice(start, end + 4);
  const [, quoted, plain] =
    /\r\ncontent-disposition:[^\r\n]*?;\s*name=(?:"([^"\r\n]*)"|([^\s;"]+))/i.exec(head) ?? [];
  const name = quoted ?? plain;
  return {
    name: name === undefined ? undefined : Buffer.from(name, 'latin1').toString('utf8'),
    head,
    content: piece.slice(end + 4),
  };
}
