/** What one step changes. */
interface Change {
  /** Of the repository; undefined removes a file. */
  readonly files: Readonly<Record<string, string | undefined>>;
  /** Ingresses that somebody writes directly, by name with their path; undefined removes one. */
  readonly direct: ReadonlyMap<string, string | undefined>;
}

/** What should be there, as it goes on from change to change. Only the numbers decide what that is. */
export class Wanted {
  count = 0;
  /** ConfigMaps of the repository, by name with their value. */
  readonly maps = new Map<string, string>();
  /** Paths of Ingresses, by name: of the repository, and direct ones. */
  readonly paths = new Map<string, string>();
  readonly #births = new Map<string, number>();
  readonly #random: () => number;

  constructor(random: () => number) {
    this.#random = random;
  }

  static ingressSpec(name: string, path: string) {
    const backend = { service: { name: 'shop', port: { number: 80 } } };
    const paths = [{ path, pathType: 'Prefix' as const, backend }];
    return { ingressClassName: 'kong', rules: [{ host: `${name}.test`, http: { paths } }] };
  }

  /** How often an object was wanted anew. */
  livesOf(name: string): number {
    return this.#births.get(name) ?? 0;
  }

  next(): Change {
    this.count += 1;
    const value = `${this.count}`;
    const files: Record<string, string | undefined> = {};
    const direct = new Map<string, string | undefined>();
    this.#set(files, 'counter', value);
    for (let index = 0; index < 5; index += 1) {
      // Objects come, change, stay as they are and go; each has its own course.
      const draw = this.#random();
      const name = `map-${index}`;
      if (draw < 0.4) this.#set(files, name, value);
      else if (draw < 0.5 && this.maps.delete(name)) files[`app/${name}.yaml`] = undefined;
      const shop = `shop-${index}`;
      if (draw < 0.3) {
        this.#place(shop, `/v${value}`);
        files[`app/${shop}.yaml`] = manifest(
          'networking.k8s.io/v1',
          'Ingress',
          shop,
          `spec: ${JSON.stringify(Wanted.ingressSpec(shop, `/v${value}`))}`,
        );
      } else if (draw > 0.9 && this.paths.delete(shop)) files[`app/${shop}.yaml`] = undefined;
      const stall = `stall-${index}`;
      if (draw > 0.6) {
        this.#place(stall, `/v${value}`);
        direct.set(stall, `/v${value}`);
      } else if (draw < 0.15 && this.paths.delete(stall)) direct.set(stall, undefined);
    }
    return { files, direct };
  }

  #place(name: string, path: string): void {
    if (!this.paths.has(name)) this.#born(`Ingress/${name}`);
    this.paths.set(name, path);
  }

  #born(name: string): void {
    this.#births.set(name, (this.#births.get(name) ?? 0) + 1);
  }

  #set(files: Record<string, string | undefined>, name: string, value: string): void {
    if (!this.maps.has(name)) this.#born(`ConfigMap/${name}`);
    this.maps.set(name, value);
    files[`app/${name}.yaml`] = manifest('v1', 'ConfigMap', name, `data: {value: "${value}"}`);
  }
}

function manifest(apiVersion: string, kind: string, name: string, rest: string): string {
  return `apiVersion: ${apiVersion}\nkind: ${kind}\nmetadata: {name: ${name}, namespace: default}\n${rest}\n`;
}
