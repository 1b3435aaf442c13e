import type { BalancerAddress } from '../balancer/balancer-address.ts';
import type { BalancerRegistry } from '../balancer/balancer-registry.ts';
import type { Destination } from '../balancer/destination.ts';
import type { UpstreamBalancer } from '../balancer/upstream-balancer.ts';
import type { RetryPolicy } from '../plugin/proxy-manner.ts';
import type { RequestContext } from '../plugin/request-context.ts';
import { hashInput } from './hash-input.ts';
import { type ServiceSettings, serviceSettings } from './service-settings.ts';

/** Of a request that may be tried without end: a target that always fails must not hold it for ever. */
const maximumTries = 32;

/** Who carries a request to the target that was chosen. */
export interface TargetUser {
  onTarget(address: BalancerAddress): void;
  /** There is no target that could take it. */
  onNone(message: string): void;
}

/**
 * The tries of one request to reach a target of its service, one after the other. The balancer hears
 * what became of each, and a target that failed is not chosen again while there are others.
 */
export class TargetTries {
  readonly settings: ServiceSettings;
  readonly #context: RequestContext;
  readonly #balancers: BalancerRegistry;
  readonly #user: TargetUser;
  #tried: Set<BalancerAddress> | undefined;
  /** Of the try under way; it counts as one of the address's connections. */
  #address: BalancerAddress | undefined;
  #balancer: UpstreamBalancer | undefined;
  #count = 0;
  #isOver = false;
  #pause: NodeJS.Timeout | undefined;

  constructor(context: RequestContext, balancers: BalancerRegistry, user: TargetUser) {
    this.#context = context;
    this.#balancers = balancers;
    this.#user = user;
    this.settings = serviceSettings(context.service ?? {}, context.snapshot);
    context.forgetSnapshot();
  }

  /** The `Host` that the upstream of the try under way asks for. */
  get hostHeader(): string | null | undefined {
    return this.#balancer?.upstream.host_header;
  }

  /** Whether the service, or who decides instead of it, allows another try. */
  get mayGoOn(): boolean {
    const retry = this.#context.manner?.retry;
    return retry === undefined ? this.#count <= this.settings.retries : this.#mayRetry(retry);
  }

  /** What a try may take of a time, as far as all tries have some of theirs left. */
  within(limitMs: number): number {
    const retry = this.#context.manner?.retry;
    if (retry?.isTimeoutTotal !== true) return limitMs;
    const { proxiedAt } = this.#context.timings;
    const left = retry.timeoutMs - (proxiedAt === 0 ? 0 : performance.now() - proxiedAt);
    return Math.max(1, Math.min(limitMs, Math.ceil(left)));
  }

  /** Goes on after what the policy of retries says. */
  again(): void {
    const { backoffMs = 0 } = this.#context.manner?.retry ?? {};
    if (backoffMs === 0) {
      this.next();
      return;
    }
    this.#pause = setTimeout(() => this.next(), backoffMs);
  }

  /** Chooses a target, and tells: in the same turn whenever names are known. */
  next(): void {
    const { manner } = this.#context;
    const { host, port } = manner?.destination ?? this.settings;
    const chosen = this.#balancers.pick(
      host,
      port,
      (upstream) => hashInput(upstream, this.#context),
      this.#tried,
      manner?.chooser,
    );
    if (chosen instanceof Promise) {
      void chosen.then(this.#use);
    } else {
      this.#use(chosen);
    }
  }

  answered(status: number): void {
    const { timings, tries } = this.#context;
    const now = performance.now();
    timings.upstreamAnsweredAt = now;
    const address = this.#address;
    if (address !== undefined) {
      address.observeLatency(now - (tries[tries.length - 1]?.startedAt ?? now));
      this.#balancer?.reportPassive(address, { kind: 'status', status });
    }
  }

  failed(isTimeout: boolean): void {
    const address = this.#fail();
    if (address !== undefined) {
      this.#balancer?.reportPassive(address, { kind: isTimeout ? 'timeout' : 'tcp-failure' });
    }
  }

  /** The target answered, and its answer is not the one to give: another is tried. */
  passedOver(): void {
    this.#fail();
  }

  /** Nothing was wrong with the target: the try does not count, and it may be chosen again. */
  failedBlamelessly(): void {
    const address = this.#fail();
    if (address !== undefined) {
      this.#count -= 1;
      this.#tried?.delete(address);
    }
  }

  /** The request is answered, or nobody waits for the answer any more. */
  end(): void {
    this.#isOver = true;
    clearTimeout(this.#pause);
    if (this.#address !== undefined) {
      this.#address.connections -= 1;
      this.#address = undefined;
    }
  }

  readonly #use = (destination: Destination): void => {
    if (this.#isOver) return;
    if (destination.kind === 'none') {
      this.#user.onNone(destination.message);
      return;
    }
    const { address } = destination;
    this.#address = address;
    this.#balancer = destination.upstream;
    this.#count += 1;
    address.connections += 1;
    const { timings, tries } = this.#context;
    const now = performance.now();
    timings.proxiedAt ||= now;
    tries.push({ address: address.ip, port: address.port, startedAt: now });
    this.#user.onTarget(address);
  };

  #mayRetry({ tries, timeoutMs }: RetryPolicy): boolean {
    const started = this.#context.timings.proxiedAt;
    const isInTime = timeoutMs === 0 || performance.now() - started < timeoutMs;
    return isInTime && this.#count < (tries === 0 ? maximumTries : tries);
  }

  #fail(): BalancerAddress | undefined {
    const { tries } = this.#context;
    const last = tries[tries.length - 1];
    if (last !== undefined) last.state = 'failed';
    const address = this.#address;
    if (address !== undefined) {
      address.connections -= 1;
      this.#tried ??= new Set();
      this.#tried.add(address);
      this.#address = undefined;
    }
    return address;
  }
}
