/**
 * Which server a node uses. All its connections, in all its processes, have to lead to the same one: two servers that accept writes have two histories, and
 * a node that used both would answer from one what it wrote to the other.
 */

/** A server that accepts writes. */
export interface FoundServer {
  /** Its host and port, as in the URL. */
  readonly address: string;
  /** Distinguishes it from any other, even from a copy of it, and from itself before it was restarted. */
  readonly identity: string;
}

/** Something that has connections to a server. */
export interface ServerHolder {
  /** Releases its server, unless that still accepts writes. */
  verify(): Promise<void>;
}

export interface ServerAgreement {
  /**
   * Undefined if the holder may use the server from now on. Otherwise the one that another holder still uses: those are first asked to release it
   * if it no longer accepts writes.
   */
  claim(holder: ServerHolder, server: FoundServer): Promise<FoundServer | undefined>;
  release(holder: ServerHolder): void;
}

export class OwnAgreement implements ServerAgreement {
  readonly #held = new Map<ServerHolder, FoundServer>();

  async claim(holder: ServerHolder, server: FoundServer): Promise<FoundServer | undefined> {
    await Promise.all(this.#others(holder, server).map(([other]) => other.verify()));
    const [conflict] = this.#others(holder, server);
    if (conflict !== undefined) return conflict[1];
    this.#held.set(holder, server);
    return undefined;
  }

  release(holder: ServerHolder): void {
    this.#held.delete(holder);
  }

  /** The holders of another server. */
  #others(holder: ServerHolder, { identity }: FoundServer): readonly [ServerHolder, FoundServer][] {
    return [...this.#held].filter(([other, held]) => other !== holder && held.identity !== identity);
  }
}
