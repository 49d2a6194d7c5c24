/** Where an export is written: a file that the person chooses, or a download if the browser cannot write files. */

export interface FileTarget {
  readonly name: string;
  readonly write: (bytes: Uint8Array<ArrayBuffer>) => Promise<void>;
  /** The file is there, complete. */
  readonly close: () => Promise<void>;
  /** Nothing is left behind. */
  readonly discard: () => Promise<void>;
}

declare global {
  interface Window {
    /** Chromium has it, on secure pages. */
    showSaveFilePicker?: (options: { readonly suggestedName: string }) => Promise<FileSystemFileHandle>;
  }
}

/** Undefined if the person does not choose a file. Has to be called while a press is handled. */
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
    // Some pages, such as those in a frame, may not.
    return download(name, mediaType);
  }
}

/** The browser keeps large blobs on the disk, so the pieces do not add up in memory. */
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
      // The download has begun by then, in every browser.
      setTimeout(() => URL.revokeObjectURL(url), 60_000);
    },
    discard: async () => {
      pieces = [];
    },
  };
}
