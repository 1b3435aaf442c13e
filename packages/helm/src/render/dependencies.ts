import type { ChartDependency } from '../chart/metadata.ts';
import type { HelmMajor } from '../engine/values-type.ts';
import type { GoMap } from '../go/value.ts';
import { HelmError } from '../helm-error.ts';
import type { Log } from '../log-entry.ts';
import { isInRange } from '../version/version.ts';
import type { ChartNode } from './chart-node.ts';
import type { Coalescer } from './coalesce.ts';
import { tableAt, valueAt } from './value-path.ts';

/** Charts that take part, each under each of its names: aliases of charts of aliases would multiply. */
const maxCharts = 1000;

/**
 * Takes away the subcharts that conditions and tags disable, and gives the others their aliases.
 *
 * @throws HelmError when a subchart's section of the values is not a map
 */
export class DependencyChooser {
  readonly #helm: HelmMajor;
  readonly #coalescer: Coalescer;
  readonly #log: Log;
  #charts = 0;

  constructor(helm: HelmMajor, coalescer: Coalescer, log: Log) {
    this.#helm = helm;
    this.#coalescer = coalescer;
    this.#log = log;
  }

  /** `path` is where the chart's section is in the values of the whole: empty, or `kid.`. */
  choose(chart: ChartNode, values: GoMap | undefined, path = ''): void {
    const declared = chart.metadata.dependencies;
    if (declared === undefined) return;
    chart.setDependencies(this.#paired(chart, declared));
    for (const dependency of declared) dependency.enabled = true;
    const whole = this.#coalescer.values(chart, values, 'coalesce');
    this.#byTags(declared, whole);
    this.#byConditions(declared, whole, path);
    const disabled = new Set(declared.filter((each) => !each.enabled).map((each) => each.name));
    const kept = chart.dependencies.filter((child) => !disabled.has(child.name));
    const left = declared.filter(({ name }) => !disabled.has(name));
    for (const child of kept) this.choose(child, whole, `${path}${child.name}.`);
    if (left.length > 0) chart.metadata.dependencies = left;
    else delete chart.metadata.dependencies;
    chart.setDependencies(kept);
  }

  /** Charts that nothing declares come first, then the declared ones in their order. */
  #paired(chart: ChartNode, declared: readonly ChartDependency[]): ChartNode[] {
    const present = chart.dependencies;
    const isMeant = (child: ChartNode, { name, version }: ChartDependency): boolean =>
      child.name === name && isInRange(child.metadata.version, version ?? '');
    const nodes = present.filter((child) => !declared.some((each) => isMeant(child, each)));
    for (const dependency of declared) {
      const found = present.find((child) => isMeant(child, dependency));
      if (found !== undefined) {
        this.#count();
        nodes.push(found.aliased(dependency.alias, this.#helm));
      }
      if (dependency.alias) dependency.name = dependency.alias;
    }
    return nodes;
  }

  #count(): void {
    if (++this.#charts > maxCharts)
      throw new HelmError('WG_HELM_LIMIT', `more than ${maxCharts} dependencies take part`);
  }

  #byTags(declared: readonly ChartDependency[], values: GoMap): void {
    const tags = tableAt(values, 'tags');
    if (tags === undefined) return;
    for (const dependency of declared) {
      let isAsked = false;
      let isRefused = false;
      for (const tag of dependency.tags ?? []) {
        const value = tags.get(tag);
        if (value === true) isAsked = true;
        else if (value === false) isRefused = true;
        else if (value !== undefined) {
          this.#log({
            place: 'dependencies.go:95',
            text: `Warning: Tag '${tag}' for chart ${dependency.name} returned non-bool value`,
            structured: nonBool({ tag, chart: dependency.name }),
          });
        }
      }
      dependency.enabled = isAsked || !isRefused;
    }
  }

  /** The first path that holds a boolean decides, over any tag. */
  #byConditions(declared: readonly ChartDependency[], values: GoMap, path: string): void {
    for (const dependency of declared) {
      for (const condition of (dependency.condition ?? '').trim().split(',')) {
        if (condition === '') continue;
        const value = valueAt(values, path + condition);
        if (value === undefined) continue;
        if (typeof value === 'boolean') {
          dependency.enabled = value;
          break;
        }
        this.#log({
          place: 'dependencies.go:64',
          text: `Warning: Condition path '${condition}' for chart ${dependency.name} returned non-bool value`,
          structured: nonBool({ path: condition, chart: dependency.name }),
        });
      }
    }
  }
}

function nonBool(fields: Record<string, string>) {
  return { level: 'WARN', message: 'returned non-bool value', fields } as const;
}
