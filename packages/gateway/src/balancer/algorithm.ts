import { createHash } from 'node:crypto';
import type { BalancerAddress } from './balancer-address.ts';

/** Addresses that were tried for a request; undefined for the first try. */
export type Tried = ReadonlySet<BalancerAddress> | undefined;

/** Picks one of the usable addresses instead of an algorithm; undefined leaves it to that. */
export type Chooser = (
  addresses: readonly BalancerAddress[],
  tried: Tried,
) => BalancerAddress | undefined;

/** Picks one of several addresses. Made anew when addresses or weights change. */
export interface Algorithm {
  /**
   * @param hash - what consistent hashing goes by; undefined if the request has no such value
   * @param tried - not picked again
   */
  pick(hash: string | undefined, tried: Tried): BalancerAddress | undefined;
}

/** What algorithms need of the world. */
export interface AlgorithmSurroundings {
  readonly random: () => number;
  /** Milliseconds since the epoch. */
  readonly now: () => number;
}

function isUsable(address: BalancerAddress, tried: Tried): boolean {
  return address.isHealthy && tried?.has(address) !== true;
}

type AlgorithmName = 'round-robin' | 'least-connections' | 'consistent-hashing' | 'latency';

export function createAlgorithm(
  name: AlgorithmName,
  addresses: readonly BalancerAddress[],
  slots: number,
  surroundings: AlgorithmSurroundings,
): Algorithm {
  const weighted = addresses.filter((address) => address.weight > 0);
  switch (name) {
    case 'least-connections':
      return leastConnections(weighted, surroundings);
    case 'consistent-hashing':
      return consistentHashing(weighted, slots, surroundings);
    case 'latency':
      return latency(weighted, surroundings);
    case 'round-robin':
      return roundRobin(weighted, surroundings);
  }
}

/** Longer wheels are scaled down: a weight of 1 beside one of 65535 still gets its turn. */
const maximumWheel = 16_384;

/**
 * Addresses in turn, each as often as its weight says, and spread out: 3 and 1 give `a a b a`, never
 * three requests in a row to the heavy one and then one to the other at long intervals.
 */
function roundRobin(
  addresses: readonly BalancerAddress[],
  { now, random }: AlgorithmSurroundings,
): Algorithm {
  const wheel = spread(addresses);
  let position = 0;
  return {
    pick(_hash, tried) {
      let passedOver: BalancerAddress | undefined;
      for (let step = 0; step < wheel.length; step += 1) {
        const address = wheel[position];
        position = position + 1 === wheel.length ? 0 : position + 1;
        if (address === undefined || !isUsable(address, tried)) continue;
        const share = address.share(now);
        if (share === 1 || random() < share) return address;
        passedOver ??= address;
      }
      return passedOver;
    },
  };
}

function spread(addresses: readonly BalancerAddress[]): readonly BalancerAddress[] {
  const divisor = addresses.reduce((sum, address) => greatestDivisor(sum, address.weight), 0);
  let shares = addresses.map((address) => address.weight / Math.max(divisor, 1));
  const total = shares.reduce((sum, share) => sum + share, 0);
  if (total > maximumWheel) {
    shares = shares.map((share) => Math.max(1, Math.round((share * maximumWheel) / total)));
  }
  const size = shares.reduce((sum, share) => sum + share, 0);
  // Each address wants its n-th turn at a fixed place; sorting the places spreads all evenly.
  const turns = addresses.flatMap((address, index) => {
    const share = shares[index] ?? 0;
    return Array.from({ length: share }, (_, turn) => ({
      address,
      at: ((turn + 0.5) * size) / share,
      index,
    }));
  });
  turns.sort((a, b) => a.at - b.at || a.index - b.index);
  return turns.map((turn) => turn.address);
}

function greatestDivisor(a: number, b: number): number {
  let [x, y] = [a, b];
  while (y !== 0) [x, y] = [y, x % y];
  return x;
}

/** The address with the fewest requests under way for its weight. */
function leastConnections(
  addresses: readonly BalancerAddress[],
  { now }: AlgorithmSurroundings,
): Algorithm {
  let turn = 0;
  return {
    pick(_hash, tried) {
      let best: BalancerAddress | undefined;
      let bestScore = Number.POSITIVE_INFINITY;
      turn += 1;
      for (let index = 0; index < addresses.length; index += 1) {
        // Starting elsewhere each time shares ties fairly.
        const address = addresses[(index + turn) % addresses.length];
        if (address === undefined || !isUsable(address, tried)) continue;
        const score = (address.connections + 1) / (address.weight * address.share(now));
        if (score < bestScore) {
          best = address;
          bestScore = score;
        }
      }
      return best;
    },
  };
}

/** The quicker of two addresses drawn at random; one that was never asked counts as quick. */
function latency(
  addresses: readonly BalancerAddress[],
  { now, random }: AlgorithmSurroundings,
): Algorithm {
  return {
    pick(_hash, tried) {
      const usable = addresses.filter((address) => isUsable(address, tried));
      if (usable.length <= 2) return quicker(usable[0], usable[1], now);
      const first = Math.floor(random() * usable.length);
      const step = 1 + Math.floor(random() * (usable.length - 1));
      return quicker(usable[first], usable[(first + step) % usable.length], now);
    },
  };
}

function quicker(
  a: BalancerAddress | undefined,
  b: BalancerAddress | undefined,
  now: () => number,
): BalancerAddress | undefined {
  if (a === undefined || b === undefined) return a ?? b;
  const cost = (address: BalancerAddress) =>
    ((address.latencyMs ?? 0) * (address.connections + 1)) / (address.weight * address.share(now));
  return cost(a) <= cost(b) ? a : b;
}

/** A target of Kong's usual weight of 100 has 800 points on the ring. */
const pointsPerWeight = 8;
const maximumPoints = 131_072;

interface Point {
  readonly at: number;
  readonly address: BalancerAddress;
}

/**
 * A ring of points, each address with points by its weight. A hash goes to the next usable point, so
 * when an address comes or goes only its own share of hashes moves.
 */
function consistentHashing(
  addresses: readonly BalancerAddress[],
  slots: number,
  { random }: AlgorithmSurroundings,
): Algorithm {
  // The number of points may depend on the address's own weight only: were it a share of the whole, the
  // points of all would move when one comes or goes.
  const total = addresses.reduce((sum, address) => sum + address.weight, 0);
  let perWeight = pointsPerWeight;
  while (total * perWeight > Math.max(slots, maximumPoints)) perWeight /= 2;
  const ring: Point[] = addresses.flatMap((address) => {
    const count = Math.max(1, Math.round(address.weight * perWeight));
    return Array.from({ length: count }, (_, index) => ({
      at: hashPosition(`${address.authority}#${index}`),
      address,
    }));
  });
  ring.sort((a, b) => a.at - b.at);
  return {
    pick(hash, tried) {
      const at = hash === undefined ? Math.floor(random() * 2 ** 32) : hashPosition(hash);
      const start = firstAtOrAfter(ring, at);
      const refused = new Set<BalancerAddress>();
      for (let step = 0; step < ring.length && refused.size < addresses.length; step += 1) {
        const address = ring[(start + step) % ring.length]?.address;
        if (address === undefined || refused.has(address)) continue;
        if (isUsable(address, tried)) return address;
        refused.add(address);
      }
      return undefined;
    },
  };
}

function hashPosition(text: string): number {
  return createHash('sha1').update(text).digest().readUInt32BE(0);
}

function firstAtOrAfter(ring: readonly Point[], at: number): number {
  let low = 0;
  let high = ring.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((ring[middle]?.at ?? 0) < at) {
      low = middle + 1;
    } else {
      high = middle;
    }
  }
  return low;
}
