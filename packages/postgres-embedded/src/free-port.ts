import { createServer } from 'node:net';

/** The port asked for; else `last` if it is free; else any free one of the loopback interface. */
export async function chosenPort(asked: number | undefined, last: number | null): Promise<number> {
  if (asked !== undefined) return asked;
  return (last === null ? null : await tryPort(last)) ?? (await tryPort(0)) ?? chosenPort(undefined, null);
}

function tryPort(port: number): Promise<number | null> {
  return new Promise((resolve) => {
    const probe = createServer();
    probe.once('error', () => resolve(null));
    probe.listen({ port, host: '127.0.0.1', exclusive: true }, () => {
      const address = probe.address();
      probe.close(() => resolve(typeof address === 'object' && address !== null ? address.port : null));
    });
  });
}
