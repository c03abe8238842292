const PARTS = ["data", "masked", "hatched", "changed"]; // the parts of an array that are bytes

/** The scene in a byte string: the length of a JSON text, the text, and the bytes whose places it names. Nothing is copied. */
export function openMessage(message) {
  const head = partOf(message, [0, 4]);
  const text = partOf(message, [4, new DataView(head.buffer, head.byteOffset).getUint32(0, true)]);
  const rest = message.subarray(4 + text.length);
  const scene = JSON.parse(new TextDecoder().decode(text));
  for (const array of Object.values(scene.arrays)) {
    for (const name of PARTS) if (array[name]) array[name] = partOf(rest, array[name]);
  }
  return scene;
}

function partOf(bytes, [start, length]) {
  const whole = start >= 0 && length >= 0 && start + length <= bytes.length;
  if (!whole) throw new RangeError(`${length} bytes from byte ${start} on are no part of ${bytes.length} bytes`);
  return bytes.subarray(start, start + length);
}

/** The bytes of a part of a scene: decoded from base64, or as they are. */
export function bytesOf(part) {
  if (typeof part !== "string") return part;
  const raw = atob(part);
  const bytes = new Uint8Array(raw.length);
  for (let i = 0; i < raw.length; i += 1) bytes[i] = raw.charCodeAt(i);
  return bytes;
}

/** The little-endian float32 numbers of a part of a scene, at any offset. */
export function floatsOf(part) {
  const bytes = bytesOf(part);
  if (bytes.length % 4) throw new RangeError(`${bytes.length} bytes are no whole number of float32 numbers`);
  const view = new DataView(bytes.buffer, bytes.byteOffset);
  const floats = new Float32Array(bytes.length / 4);
  for (let i = 0; i < floats.length; i += 1) floats[i] = view.getFloat32(4 * i, true);
  return floats;
}

/** Whether the bit at a place is set; the least significant bit of each byte comes first. */
export function bitAt(bytes, place) {
  return ((bytes[place >> 3] >> (place & 7)) & 1) === 1;
}
