import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { isObject, parseYaml, TextError } from '@waygate/text';

/** A process on this machine that stands in for a Service. */
export interface LocalBackend {
  /** Its port is `${name_port}` in the manifests, with `-` written `_`. */
  readonly name: string;
  readonly command: readonly string[];
  readonly env: Readonly<Record<string, string>>;
}

/** `waygate.yaml`: what `waygate up` does with a directory. */
export interface ProjectFile {
  /** The directory to build, inside the project. */
  readonly path: string;
  readonly backends: readonly LocalBackend[];
  /** Variables for the manifests, beside the ports. */
  readonly variables: Readonly<Record<string, string>>;
  /** The request of the curl line that the summary offers. */
  readonly try: { readonly path: string; readonly headers: Readonly<Record<string, string>> };
}

interface ProjectProblem {
  /** `waygate.yaml:3`, when the line is known. */
  readonly place: string;
  readonly message: string;
}

const projectFileName = 'waygate.yaml';

export const emptyProject: ProjectFile = {
  path: '.',
  backends: [],
  variables: {},
  try: { path: '/', headers: {} },
};

/** Reads the project file of a directory; a directory without one is built as it is. */
export function readProjectFile(directory: string): {
  project: ProjectFile;
  problems: readonly ProjectProblem[];
} {
  const file = join(directory, projectFileName);
  if (!existsSync(file)) return { project: emptyProject, problems: [] };
  return parseProjectFile(readFileSync(file, 'utf8'));
}

/** With any problem the project must not be used. */
export function parseProjectFile(text: string): {
  project: ProjectFile;
  problems: readonly ProjectProblem[];
} {
  let value: unknown;
  try {
    value = parseYaml(text, { booleans: 'true-false' });
  } catch (error) {
    if (!(error instanceof TextError)) throw error;
    const { line = 1, message } = error;
    const place = `${projectFileName}:${line}`;
    return {
      project: emptyProject,
      problems: [{ place, message: message.replace(/^line \d+: /, '') }],
    };
  }
  const reader = new ProjectReader();
  const project = reader.project(value ?? {});
  return { project, problems: reader.problems };
}

type Fields = Readonly<Record<string, unknown>>;

class ProjectReader {
  readonly problems: ProjectProblem[] = [];

  project(value: unknown): ProjectFile {
    const fields = this.#fields(value, '', ['path', 'backends', 'variables', 'try']);
    const attempt = this.#fields(fields.try ?? {}, 'try', ['path', 'headers']);
    return {
      path: this.#path(fields.path),
      backends: this.#backends(fields.backends),
      variables: this.#strings(fields.variables, 'variables'),
      try: {
        path: attempt.path === undefined ? '/' : this.#text(attempt.path, 'try.path'),
        headers: this.#strings(attempt.headers, 'try.headers'),
      },
    };
  }

  #path(value: unknown): string {
    if (value === undefined) return '.';
    const path = this.#text(value, 'path');
    if (path.startsWith('/') || path.split('/').includes('..'))
      this.#problem('path', 'must stay inside the project');
    return path;
  }

  #backends(value: unknown): LocalBackend[] {
    if (value === undefined) return [];
    if (!Array.isArray(value)) {
      this.#problem('backends', 'must be a list');
      return [];
    }
    const backends = value.map((each: unknown, index) => this.#backend(each, `backends[${index}]`));
    const names = backends.map(({ name }) => name);
    for (const name of new Set(names.filter((each, index) => names.indexOf(each) !== index)))
      this.#problem('backends', `there are two with the name ${name}`);
    return backends;
  }

  #backend(value: unknown, at: string): LocalBackend {
    const fields = this.#fields(value, at, ['name', 'command', 'env']);
    const name = this.#text(fields.name, `${at}.name`);
    if (name !== '' && !/^[a-z]([a-z0-9-]{0,61}[a-z0-9])?$/.test(name))
      this.#problem(`${at}.name`, 'must be lower-case letters, digits and dashes');
    const command = Array.isArray(fields.command)
      ? fields.command.map((word: unknown, index) => this.#text(word, `${at}.command[${index}]`))
      : [];
    if (command.length === 0)
      this.#problem(`${at}.command`, 'must be a list: a program and its arguments');
    return { name, command, env: this.#strings(fields.env, `${at}.env`) };
  }

  #strings(value: unknown, at: string): Record<string, string> {
    if (value === undefined) return {};
    const found: Record<string, string> = {};
    for (const [name, each] of Object.entries(this.#fields(value, at))) {
      if (typeof each === 'string' || typeof each === 'number' || typeof each === 'boolean')
        found[name] = String(each);
      else this.#problem(`${at}.${name}`, 'must be text');
    }
    return found;
  }

  #fields(value: unknown, at: string, known?: readonly string[]): Fields {
    if (!isObject(value)) {
      this.#problem(at, 'must be an object');
      return {};
    }
    for (const name of Object.keys(value))
      if (known !== undefined && !known.includes(name))
        this.#problem(
          at === '' ? name : `${at}.${name}`,
          `is not known here; there are ${known.join(', ')}`,
        );
    return value as Fields;
  }

  #text(value: unknown, at: string): string {
    if (typeof value === 'string' && value !== '') return value;
    if (typeof value === 'number') return String(value);
    this.#problem(at, 'must be text that is not empty');
    return '';
  }

  #problem(field: string, message: string): void {
    this.problems.push({
      place: projectFileName,
      message: field === '' ? message : `${field} ${message}`,
    });
  }
}

/** The variables that the manifests may use: the project's own, and the port of each backend. */
export function substitutions(
  project: ProjectFile,
  ports: ReadonlyMap<string, number>,
): Record<string, string> {
  const variables: Record<string, string> = { ...project.variables };
  for (const [name, port] of ports) variables[`${name.replaceAll('-', '_')}_port`] = String(port);
  return variables;
}
