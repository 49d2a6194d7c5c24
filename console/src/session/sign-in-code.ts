/** The code of a sign-in link, in the fragment of the URL, which no server gets to see. */

const PREFIX = '#code=';

/** Removes the code from the address bar, valid or not. A page that is open already starts again when a link is opened in it. */
export function takeCode(): string | undefined {
  addEventListener('hashchange', () => {
    if (location.hash.startsWith(PREFIX)) location.reload();
  });
  if (!location.hash.startsWith(PREFIX)) return undefined;
  const [code] = /^\w*/.exec(location.hash.slice(PREFIX.length)) ?? [];
  history.replaceState(null, '', location.pathname + location.search);
  return code;
}
