/** The destination of an export: a file that the user picks, or a download if the browser cannot write files. */

export interface FileTarget {
  readonly name: string;
  readonly write: (bytes: Uint8Array<ArrayBuffer>) => Promise<void>;
  /** Completes the file. */
  readonly close: () => Promise<void>;
  /** Deletes what was written. */
  readonly discard: () => Promise<void>;
}

declare global {
  interface Window {
    /** Only in Chromium, on secure pages. */
    showSaveFilePicker?: (options: { readonly suggestedName: string }) => Promise<FileSystemFileHandle>;
  }
}

/** Undefined if the user cancels. Browsers allow it only in response to a user gesture. */
export async function openTarget(name: string, mediaType: string): Promise<FileTarget | undefined> {
  if (window.showSaveFilePicker === undefined) return download(name, mediaType);
  try {
    const handle = await window.showSaveFilePicker({ suggestedName: name });
    const file = await handle.createWritable();
    return {
      name: handle.name,
      write: (bytes) => file.write(bytes),
      close: () => file.close(),
      discard: () => file.abort(),
    };
  } catch (error) {
    if (error instanceof DOMException && error.name === 'AbortError') return undefined;
    // Not allowed everywhere, for example in frames.
    return download(name, mediaType);
  }
}

/** Browsers move large blobs to disk, so memory stays bounded. */
function download(name: string, mediaType: string): FileTarget {
  let pieces: Blob[] = [];
  return {
    name,
    write: async (bytes) => {
      pieces.push(new Blob([bytes]));
    },
    close: async () => {
      const url = URL.createObjectURL(new Blob(pieces, { type: mediaType }));
      const link = document.createElement('a');
      link.href = url;
      link.download = name;
      link.click();
      // Every browser has started the download by then.
      setTimeout(() => URL.revokeObjectURL(url), 60_000);
    },
    discard: async () => {
      pieces = [];
    },
  };
}
