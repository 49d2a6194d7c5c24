/** Puts text on the clipboard. */

/** False if the browser does not allow it. */
export async function copyText(text: string): Promise<boolean> {
  try {
    // Browsers have no clipboard on pages that are neither HTTPS nor of this machine.
    if (navigator.clipboard === undefined) return copyWithSelection(text);
    await navigator.clipboard.writeText(text);
    return true;
  } catch {
    return copyWithSelection(text);
  }
}

function copyWithSelection(text: string): boolean {
  const area = document.createElement('textarea');
  const focused = document.activeElement;
  area.value = text;
  area.className = 'visually-hidden';
  document.body.append(area);
  area.select();
  const isCopied = document.execCommand('copy');
  area.remove();
  if (focused instanceof HTMLElement) focused.focus();
  return isCopied;
}
