/** The current view as a request in several languages, to be copied. */

export default function CodePanel() {
  return null;
}
