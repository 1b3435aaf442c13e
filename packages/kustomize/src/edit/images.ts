import type { Image, Replica } from '../config/kustomization.ts';
import { inByteOrder } from '../file-system/file-system.ts';
import { KustomizeError } from '../kustomize-error.ts';
import type { EditCommand } from './command.ts';
import { openKustomization } from './kustomization-file.ts';

const imageFormats = `invalid format of image, use one of the following options:
- <image>=<newimage>:<newtag>
- <image>=<newimage>@<digest>
- <image>=<newimage>:<newtag>@<digest>
- <image>=<newimage>
- <image>:<newtag>
- <image>:<newtag>@<digest>
- <image>@<digest>`;

interface ImageParts {
  readonly name: string;
  readonly tag: string;
  readonly digest: string;
}

/** A colon before the last slash is that of a port. */
function splitImage(text: string): ImageParts | undefined {
  const at = text.indexOf('@');
  const digest = at < 0 ? '' : text.slice(at + 1);
  const named = at < 0 ? text : text.slice(0, at);
  const colon = named.indexOf(':', named.lastIndexOf('/') + 1);
  if (colon < 0) return at < 0 ? undefined : { name: named, tag: '', digest };
  return { name: named.slice(0, colon), tag: named.slice(colon + 1), digest };
}

function parseImage(word: string): Required<Pick<Image, 'name' | 'newName' | 'newTag' | 'digest'>> {
  const equals = word.indexOf('=');
  if (equals >= 0) {
    const image = word.slice(equals + 1);
    const parts = splitImage(image) ?? { name: image, tag: '', digest: '' };
    const { name: newName, tag: newTag, digest } = parts;
    const name = word.slice(0, equals);
    return name === ''
      ? { name: newName, newName: '', newTag, digest }
      : { name, newName, newTag, digest };
  }
  const parts = splitImage(word);
  if (parts === undefined) throw new KustomizeError(imageFormats);
  return { name: parts.name, newName: '', newTag: parts.tag, digest: parts.digest };
}

/** A star stands for what the file has. */
function orBefore(value: string, before: string | undefined): string {
  return value === '*' ? (before ?? '') : value;
}

const setImage: EditCommand = {
  path: ['set', 'image'],
  summary: 'Set new names, tags or digests of images',
  operands: '<image=newimage:newtag@digest...>',
  about:
    'A star as the new name, tag or digest keeps what the file has. Entries are sorted by their names.',
  examples: [
    'set image web=registry.example/shop/web:1.4.2',
    'set image postgres:16.4 redis@sha256:24a0c4b4a4c0eb97a1aabb8e29f18e917d05abfe1b7a7c07857230879ce7d3d3',
    "set image 'web=*:1.4.3'",
  ],
  run(args, place, record) {
    if (args.words.length === 0) throw new KustomizeError('no image specified');
    const images = args.words.map(parseImage);
    const file = openKustomization(place);
    const byName = new Map((file.draft.images ?? []).map((image) => [image.name ?? '', image]));
    for (const { name, newName, newTag, digest } of images) {
      const before = byName.get(name);
      byName.set(name, {
        name,
        newName: orBefore(newName, before?.newName),
        newTag: orBefore(newTag, before?.newTag),
        digest: orBefore(digest, before?.digest),
      });
    }
    file.draft.images = sorted(byName);
    record.write(file.path, file.print());
  },
};

function sorted<T>(byName: ReadonlyMap<string, T>): T[] {
  return inByteOrder([...byName.keys()]).map((name) => byName.get(name)!);
}

const maxInt = 2n ** 63n;

function parseReplica(word: string): Replica {
  const parts = word.split('=');
  const [name = '', count = ''] = parts;
  const isCount = parts.length === 2 && /^[+-]?\d+$/.test(count);
  const value = isCount ? BigInt(count.replace('+', '')) : undefined;
  if (value === undefined || value >= maxInt || value < -maxInt) {
    throw new KustomizeError('invalid format of replica, use the following format: <name>=<count>');
  }
  return { name, count: Number(value) };
}

const setReplicas: EditCommand = {
  path: ['set', 'replicas'],
  summary: 'Set how many replicas workloads have',
  operands: '<name=count...>',
  examples: ['set replicas web=3 worker=1'],
  run(args, place, record) {
    if (args.words.length === 0) throw new KustomizeError('no replicas specified');
    const replicas = args.words.map(parseReplica);
    const file = openKustomization(place);
    const given = [...(file.draft.replicas ?? []), ...replicas];
    file.draft.replicas = sorted(new Map(given.map((each) => [each.name ?? '', each])));
    record.write(file.path, file.print());
  },
};

/** The commands for images and replicas. */
export const imageCommands: readonly EditCommand[] = [setImage, setReplicas];
