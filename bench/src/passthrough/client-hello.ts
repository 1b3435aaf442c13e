/** A ClientHello of the usual size that names `host`: all that a proxy of sealed bytes looks at. */
export function clientHello(host: string): Buffer {
  const name = Buffer.from(host);
  const vector = (bytes: Buffer, width: 1 | 2) => {
    const length = Buffer.alloc(width);
    length.writeUIntBE(bytes.length, 0, width);
    return Buffer.concat([length, bytes]);
  };
  const extension = (type: number, data: Buffer) =>
    Buffer.concat([Buffer.from([type >> 8, type & 0xff]), vector(data, 2)]);
  const extensions = Buffer.concat([
    extension(0, vector(Buffer.concat([Buffer.from([0]), vector(name, 2)]), 2)),
    extension(21, Buffer.alloc(400)),
  ]);
  const body = Buffer.concat([
    Buffer.from([3, 3]),
    Buffer.alloc(32, 7),
    vector(Buffer.alloc(0), 1),
    vector(Buffer.from([0x13, 1, 0x13, 2]), 2),
    vector(Buffer.from([0]), 1),
    vector(extensions, 2),
  ]);
  const message = Buffer.concat([Buffer.from([1, 0, body.length >> 8, body.length & 0xff]), body]);
  return Buffer.concat([Buffer.from([22, 3, 1]), vector(message, 2)]);
}
