import { compareUtf8, isOutOfStack } from '@waygate/text';
import type { FunctionOptions } from '../functions/function-options.ts';
import { HelmFunctions } from '../functions/function-table.ts';
import { Budget, defaultLimits, type EngineLimits } from '../go/budget.ts';
import { type CallContext, GoError } from '../go/function.ts';
import { quoteString } from '../go/quote.ts';
import { GoMap, type GoValue } from '../go/value.ts';
import { HelmError } from '../helm-error.ts';
import type { ExecutorOptions } from '../template/evaluator.ts';
import { ExecError } from '../template/exec-error.ts';
import { Executor } from '../template/executor.ts';
import type { ListNode, Node } from '../template/node.ts';
import { ParsedTemplates } from '../template/parsed-templates.ts';
import { TemplateSet } from '../template/template-set.ts';
import { ParseError } from '../template/token-reader.ts';
import { lineOrigins, type OutputMark, type RenderedFile } from './line-origins.ts';
import { executionFailure, parseFailure } from './render-error.ts';
import { valuesType } from './values-type.ts';

/** A file of templates/, and what its templates see. */
export interface TemplateFile {
  /** With the chart's path before it: `demo/templates/service.yaml`. */
  readonly path: string;
  readonly text: string;
  /** `.` of this file; the files of a chart share one, so that what one sets the next sees. */
  readonly data: GoMap;
  /** What `.Template.BasePath` says: `demo/templates`. */
  readonly basePath: string;
}

/** How templates are rendered. Nothing is read from the process, the network or the clock. */
export interface RenderOptions extends FunctionOptions {
  /** A key that a map does not have is an error. Not reachable from Helm's command line. */
  readonly strict?: boolean;
  readonly limits?: Partial<EngineLimits>;
  /** Told each file that was made, with the lines of the templates that its lines came from. */
  readonly onFile?: ((file: RenderedFile) => void) | undefined;
  /** Only this file is rendered; the others are there for what they define. */
  readonly only?: string | undefined;
}

/** The name that Helm gives to the set, which errors of `tpl` show. */
const setName = 'gotpl';
const maxNested = 1000;
const surelyNested = 150;
const framesOfInclude = 10;
/** What it takes to execute a template by `include`, and to make a set for `tpl`, beside what is in them. */
const stepsOfInclude = 12;
const stepsOfTpl = 80;

/**
 * Parses all files into one set and renders those that are not partials, in Helm's order: the deepest path
 * and the last name first, so that a parent's definitions win over its subcharts'.
 *
 * @throws HelmError `WG_HELM_TEMPLATE` with the text that Helm shows, or `WG_HELM_LIMIT`
 * @example
 * const data = new GoMap([['Values', goValueFromYaml('name: web')]]);
 * const file = { path: 'demo/templates/a.yaml', text: 'app: {{ .Values.name | quote }}', data, basePath: 'demo/templates' };
 * renderTemplates([file], { helm: 4, now: new Date(), random: randomBytes, timeZone: 'UTC' });
 */
export function renderTemplates(
  files: readonly TemplateFile[],
  options: RenderOptions,
): Map<string, string> {
  return renderWithin(new Budget({ ...defaultLimits, ...options.limits }), files, options);
}

/** The same within what is left of a budget, for charts that are rendered more than once. */
export function renderWithin(
  budget: Budget,
  files: readonly TemplateFile[],
  options: RenderOptions,
): Map<string, string> {
  const functions = new HelmFunctions(options);
  const set = new TemplateSet(parsedFor(options.helm, functions));
  const executor: ExecutorOptions = { functions, budget, isStrict: options.strict ?? false };
  const sorted = inHelmsOrder(files);
  for (const { path, text } of sorted) {
    try {
      budget.parse(text);
      set.parse(path, text);
    } catch (error) {
      throw error instanceof ParseError ? parseFailure(path, error) : limited(error);
    }
  }
  const rendering = new Rendering(set, executor, new Map());
  const rendered = new Map<string, string>();
  for (const { path, data, basePath } of sorted) {
    if (path.slice(path.lastIndexOf('/') + 1).startsWith('_')) continue;
    if (options.only !== undefined && path !== options.only) continue;
    const type = valuesType(options.helm);
    data.set(
      'Template',
      new GoMap(
        [
          ['Name', path],
          ['BasePath', basePath],
        ],
        type,
      ),
    );
    try {
      const marks: OutputMark[] = [];
      const onWrite = options.onFile && ((at: number, node: Node) => marks.push({ at, node }));
      const output = rendering.include(path, data, onWrite);
      const text = withoutNoValue(output);
      rendered.set(path, text);
      options.onFile?.({ path, text, lines: lineOrigins(output, marks) });
    } catch (error) {
      throw error instanceof GoError ? executionFailure(path, error, options.helm) : limited(error);
    }
  }
  return rendered;
}

/** Of a template that nests deeper than the stack of this process there is no better to be said. */
function limited(error: unknown): unknown {
  if (!isOutOfStack(error)) return error;
  return new HelmError(
    'WG_HELM_LIMIT',
    'the templates nest deeper, or make larger texts, than this process can hold',
    { cause: error },
  );
}

function nestedReference(name: string): GoError {
  return new GoError(
    `rendering template has a nested reference name: ${name}: unable to execute template`,
    { cause: new GoError('unable to execute template') },
  );
}

function withoutNoValue(text: string): string {
  return text.includes('<no value>') ? text.replaceAll('<no value>', '') : text;
}

function inHelmsOrder(files: readonly TemplateFile[]): TemplateFile[] {
  return files
    .map((file) => ({ file, depth: file.path.split('/').length }))
    .sort((a, b) => b.depth - a.depth || compareUtf8(b.file.path, a.file.path))
    .map(({ file }) => file);
}

const maxParsedBytes = 16 * 1024 * 1024;
const parsedOf: { [helm in RenderOptions['helm']]?: ParsedTemplates } = {};

/** Kept from one rendering to the next. The names of the functions, which parsing looks at, are always the same. */
function parsedFor(helm: RenderOptions['helm'], functions: HelmFunctions): ParsedTemplates {
  const names = parsedOf[helm] === undefined ? functions.names() : undefined;
  parsedOf[helm] ??= new ParsedTemplates((name) => names!.has(name), maxParsedBytes);
  return parsedOf[helm];
}

/** A set of templates being executed; `tpl` makes one of its own over it. */
class Rendering implements CallContext {
  readonly #set: TemplateSet;
  readonly #options: ExecutorOptions;
  /** How often each name is being included at this moment. */
  readonly #nested: Map<string, number>;

  constructor(set: TemplateSet, options: ExecutorOptions, nested: Map<string, number>) {
    this.#set = set;
    this.#options = options;
    this.#nested = nested;
  }

  get budget(): Budget {
    return this.#options.budget;
  }

  include(name: string, data: GoValue, onWrite?: (at: number, node: Node) => void): string {
    const count = this.#nested.get(name) ?? 0;
    if (count > maxNested) throw nestedReference(name);
    const root = this.#set.find(name);
    if (root === undefined) {
      throw new GoError(
        `template: no template ${quoteString(name)} associated with template ${quoteString(setName)}`,
      );
    }
    this.budget.step(stepsOfInclude);
    this.#nested.set(name, count + 1);
    try {
      this.budget.goInto(framesOfInclude);
      return new Executor(this.#options, this.#set, this, name, onWrite).run(root, data);
    } catch (error) {
      // The stack ends before Helm's count does; what got so deep by one name would get there too.
      throw isOutOfStack(error) && count > surelyNested ? nestedReference(name) : error;
    } finally {
      this.budget.leave(framesOfInclude);
      this.#nested.set(name, count);
    }
  }

  evaluate(text: string, data: GoValue): string {
    this.budget.step(stepsOfTpl);
    this.budget.parse(text, 2);
    this.budget.goInto(framesOfInclude);
    const set = this.#set.overlay();
    let root: ListNode;
    try {
      root = set.parse(setName, text);
    } catch (error) {
      if (!(error instanceof ParseError)) throw error;
      throw new GoError(`cannot parse template ${quoteString(text)}: ${error.message}`, {
        cause: new GoError(error.message),
      });
    }
    try {
      const inner = new Rendering(set, this.#options, this.#nested);
      const output = new Executor(this.#options, set, inner, setName).run(root, data);
      this.budget.leave(framesOfInclude);
      return withoutNoValue(output);
    } catch (error) {
      if (!(error instanceof ExecError)) throw error;
      throw new GoError(
        `error during tpl function execution for ${quoteString(text)}: ${error.message}`,
        { cause: error },
      );
    }
  }
}
