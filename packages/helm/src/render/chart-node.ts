import type { Chart, ChartCrd } from '../chart/chart.ts';
import type { ChartMetadata } from '../chart/metadata.ts';
import type { HelmMajor } from '../engine/values-type.ts';
import type { GoMap } from '../go/value.ts';

/**
 * A chart while it is rendered: dependencies get disabled and renamed, values imported. The chart that it
 * was made of stays as it was loaded.
 */
export class ChartNode {
  readonly chart: Chart;
  metadata: ChartMetadata;
  values: GoMap | undefined;
  parent: ChartNode | undefined;
  #dependencies: readonly ChartNode[] = [];

  private constructor(chart: Chart, metadata: ChartMetadata, values: GoMap | undefined) {
    this.chart = chart;
    this.metadata = metadata;
    this.values = values;
  }

  /** The tree of a chart and its subcharts. */
  static of(chart: Chart): ChartNode {
    const node = new ChartNode(chart, copyMetadata(chart.metadata), chart.values);
    node.setDependencies(chart.dependencies.map((child) => ChartNode.of(child)));
    return node;
  }

  get name(): string {
    return this.metadata.name;
  }

  get dependencies(): readonly ChartNode[] {
    return this.#dependencies;
  }

  setDependencies(nodes: readonly ChartNode[]): void {
    for (const node of nodes) node.parent = this;
    this.#dependencies = nodes;
  }

  /** `parent/charts/kid`. */
  get path(): string {
    return this.parent === undefined ? this.name : `${this.parent.path}/charts/${this.name}`;
  }

  /**
   * The chart under another name. Helm 3 shares what is below between the copies, so that of two aliases of a
   * chart with subcharts the second finds them as the first has left them; Helm 4 copies that too.
   */
  aliased(alias: string | undefined, helm: HelmMajor): ChartNode {
    const metadata = helm === 3 ? { ...this.metadata } : copyMetadata(this.metadata);
    const copy = new ChartNode(this.chart, metadata, this.values);
    copy.parent = this.parent;
    if (helm === 3) copy.#dependencies = this.#dependencies;
    else copy.setDependencies(this.#dependencies.map((child) => child.#shallowCopy()));
    if (alias) copy.metadata.name = alias;
    return copy;
  }

  #shallowCopy(): ChartNode {
    const copy = new ChartNode(this.chart, this.metadata, this.values);
    copy.#dependencies = this.#dependencies;
    return copy;
  }

  /** Its CRDs and its subcharts': parents first, in the order of their files. */
  crds(): ChartCrd[] {
    const { path } = this;
    const own = this.chart.files
      .filter(({ name }) => name.startsWith('crds/') && /\.(yaml|yml|json)$/i.test(name))
      .map((file) => ({ filename: `${path}/${file.name}`, file }));
    return own.concat(this.#dependencies.flatMap((child) => child.crds()));
  }
}

function copyMetadata(metadata: ChartMetadata): ChartMetadata {
  const copy = { ...metadata };
  if (metadata.dependencies !== undefined) {
    copy.dependencies = metadata.dependencies.map((dependency) => ({ ...dependency }));
  }
  return copy;
}
