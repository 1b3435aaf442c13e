import type { ObjectReader } from '../../store/object-reader.ts';
import type { CertificateClaim } from '../certificates.ts';
import type { ServiceResult } from '../kong-service.ts';
import type { CaCertificateEntity } from '../kong-state.ts';
import { NginxModel } from '../nginx/model.ts';
import { anyHost, type ParsedIngress } from '../nginx/parsed-ingress.ts';
import type { ResolvedOptions } from '../options.ts';
import type { Problem } from '../problem.ts';
import type { UnitOf } from './unit.ts';
import type { Workshop } from './workshop.ts';

/** The units of ingress-nginx' Ingresses and streams; there are none where nobody asked for them. */
export class NginxUnits {
  readonly #workshop: Workshop;
  readonly #model: NginxModel | undefined;

  constructor(workshop: Workshop, options: ResolvedOptions) {
    this.#workshop = workshop;
    if (options.nginx === undefined) return;
    this.#model = new NginxModel(options, options.nginx);
    workshop.soil({ sort: 'nginx server', key: anyHost });
    workshop.soil({ sort: 'nginx streams', key: '' });
  }

  get caCertificates(): readonly CaCertificateEntity[] {
    return this.#model?.caCertificates() ?? [];
  }

  get problems(): readonly Problem[] {
    return this.#model?.problems() ?? [];
  }

  certificates(reader: ObjectReader): readonly CertificateClaim[] {
    return this.#model?.certificates(reader) ?? [];
  }

  /** What an Ingress asks for now. */
  setIngress(key: string, parsed: ParsedIngress | undefined): void {
    for (const host of this.#model?.setIngress(key, parsed) ?? [])
      this.#workshop.soil({ sort: 'nginx server', key: host });
  }

  /** Says whether there are, or were, problems with it. */
  makeServer(unit: UnitOf<'nginx server'>): boolean {
    const hadProblems = this.#model!.hasProblems(unit.key);
    const made = this.#workshop.tracked(unit, (reader) =>
      this.#model!.makeServer(unit.key, reader),
    );
    this.#workshop.soilServices(made.names);
    if (made.isGone) this.#workshop.remove(unit);
    if (made.hasCertificates) this.#workshop.soil({ sort: 'certificates', key: '' });
    return hadProblems || this.#model!.hasProblems(unit.key);
  }

  makeStreams(unit: UnitOf<'nginx streams'>): boolean {
    const hadProblems = this.#model!.hasProblems();
    const names = this.#workshop.tracked(unit, (reader) => this.#model!.makeStreams(reader));
    this.#workshop.soilServices(names);
    return hadProblems || this.#model!.hasProblems();
  }

  /** The Kong services of a name, if it is one of theirs. */
  makeService(unit: UnitOf<'service'>): readonly ServiceResult[] | undefined {
    const model = this.#model;
    if (!model?.hasService(unit.key)) return undefined;
    return this.#workshop.tracked(unit, (reader) => model.makeService(unit.key, reader));
  }
}
