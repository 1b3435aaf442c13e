import { existsSync, readFileSync } from 'node:fs';
import { isAbsolute, join } from 'node:path';
import { parseYaml, parseYamlNode, TextError, type YamlNode } from '@waygate/text';
import type { Binding } from '../workloads/binding.ts';
import { readBindings } from './binding-reader.ts';
import { FieldReader, type Fields, type ProjectProblem } from './field-reader.ts';

/** A process on this machine for which the manifests have endpoints of their own. */
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
  /** What stands in for Services. */
  readonly bindings: readonly Binding[];
  readonly backends: readonly LocalBackend[];
  /** Variables for the manifests, beside the ports. */
  readonly variables: Readonly<Record<string, string>>;
  /** The request of the curl line that the summary offers. */
  readonly try: { readonly path: string; readonly headers: Readonly<Record<string, string>> };
}

export const projectFileName = 'waygate.yaml';

export const emptyProject: ProjectFile = {
  path: '.',
  bindings: [],
  backends: [],
  variables: {},
  try: { path: '/', headers: {} },
};

interface ReadProject {
  readonly project: ProjectFile;
  readonly problems: readonly ProjectProblem[];
}

/** Reads the project file of a directory; a directory without one is built as it is. */
export function readProjectFile(directory: string): ReadProject {
  const file = join(directory, projectFileName);
  if (!existsSync(file)) return { project: emptyProject, problems: [] };
  return parseProjectFile(readFileSync(file, 'utf8'), directory);
}

/** With any problem the project must not be used. */
export function parseProjectFile(text: string, directory = '.'): ReadProject {
  let value: unknown;
  let node: YamlNode | undefined;
  try {
    value = parseYaml(text, { booleans: 'true-false' });
    node = parseYamlNode(text);
  } catch (error) {
    if (!(error instanceof TextError)) throw error;
    const { line = 1, message } = error;
    const place = `${projectFileName}:${line}`;
    return {
      project: emptyProject,
      problems: [{ place, message: message.replace(/^line \d+: /, '') }],
    };
  }
  const reader = new FieldReader(projectFileName, node);
  const project = readProject(reader, value ?? {}, directory);
  return { project, problems: reader.problems };
}

function readProject(reader: FieldReader, value: unknown, directory: string): ProjectFile {
  const known = ['path', 'services', 'backends', 'variables', 'try'];
  const fields = reader.fields(value, '', known);
  const attempt = reader.fields(fields.try ?? {}, 'try', ['path', 'headers']);
  return {
    path: pathOf(reader, fields),
    bindings: readBindings(reader, fields.services, directory),
    backends: backendsOf(reader, fields.backends),
    variables: reader.strings(fields.variables, 'variables'),
    try: {
      path: attempt.path === undefined ? '/' : reader.text(attempt.path, 'try.path'),
      headers: reader.strings(attempt.headers, 'try.headers'),
    },
  };
}

function pathOf(reader: FieldReader, { path: value }: Fields): string {
  if (value === undefined) return '.';
  const path = reader.text(value, 'path');
  if (isAbsolute(path) || path.split('/').includes('..'))
    reader.problem('path', 'must stay inside the project');
  return path;
}

function backendsOf(reader: FieldReader, value: unknown): LocalBackend[] {
  if (value === undefined) return [];
  if (!Array.isArray(value)) {
    reader.problem('backends', 'must be a list');
    return [];
  }
  const backends = value.map((each: unknown, index): LocalBackend => {
    const at = `backends[${index}]`;
    const fields = reader.fields(each, at, ['name', 'command', 'env']);
    const name = reader.text(fields.name, `${at}.name`);
    if (name !== '' && !/^[a-z]([a-z0-9-]{0,61}[a-z0-9])?$/.test(name))
      reader.problem(`${at}.name`, 'must be lower-case letters, digits and dashes');
    const command = reader.command(fields.command, `${at}.command`);
    return { name, command, env: reader.strings(fields.env, `${at}.env`) };
  });
  const names = backends.map(({ name }) => name);
  for (const name of new Set(names.filter((each, index) => names.indexOf(each) !== index)))
    reader.problem('backends', `there are two with the name ${name}`);
  return backends;
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
