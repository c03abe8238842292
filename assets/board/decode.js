/** The bytes that a base64 text stands for. */
export function bytesOf(text) {
  const raw = atob(text);
  const bytes = new Uint8Array(raw.length);
  for (let i = 0; i < raw.length; i += 1) bytes[i] = raw.charCodeAt(i);
  return bytes;
}

/** The float32 numbers that a base64 text stands for, least significant byte first. */
export function floatsOf(text) {
  const bytes = bytesOf(text);
  if (bytes.length % 4) throw new RangeError(`${bytes.length} bytes are no whole number of float32 numbers`);
  const view = new DataView(bytes.buffer);
  const floats = new Float32Array(bytes.length / 4);
  for (let i = 0; i < floats.length; i += 1) floats[i] = view.getFloat32(4 * i, true);
  return floats;
}

/** Whether the bit at a place is set; the least significant bit of each byte comes first. */
export function bitAt(bytes, place) {
  return ((bytes[place >> 3] >> (place & 7)) & 1) === 1;
}
