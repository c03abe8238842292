// A message that is too long for the server is not sent, and a box says so. The server would end the connection, and the page
// would send the same message again, for ever.
(() => {
  if (window.attentionMessages) return;
  const MOST = MAX_MESSAGE_BYTES;
  const box = Object.assign(document.createElement("div"), { className: "by-hand", hidden: true });
  box.setAttribute("role", "alert");
  (document.getElementById("attention-corner") ?? document.body).append(box);
  const { send } = WebSocket.prototype;
  WebSocket.prototype.send = function sendOrRefuse(message) {
    const size = message.byteLength ?? message.size ?? message.length;
    box.hidden = size <= MOST;
    if (box.hidden) return send.call(this, message);
    const told = (bytes) => bytes.toLocaleString("en");
    box.textContent = `This is too much at once: ${told(size)} bytes, at most ${told(MOST)}. Make it shorter, or reload the page. ` +
      "Large matrices can be loaded as a file.";
    return undefined;
  };
  window.attentionMessages = true;
})();
