/** The response to the current view as it was received: status, time, size, headers and JSON. */

export default function ResponsePanel() {
  return null;
}
