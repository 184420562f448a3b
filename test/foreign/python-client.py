"""A user's program: uploads, lists, shows, deletes, heeds a refusal. Prints what it saw as JSON."""
import json, os, sys, time, urllib.error, urllib.request, uuid

base, key = os.environ["FH_BASE_URL"], os.environ["FH_API_KEY"]


def call(method, path, body=None, headers=None):
    request = urllib.request.Request(base + path, data=body, method=method)
    for name, value in {"X-Api-Key": key, "Accept": "application/json", **(headers or {})}.items():
        request.add_header(name, value)
    try:
        with urllib.request.urlopen(request) as answer:
            return answer.status, json.load(answer), answer.headers
    except urllib.error.HTTPError as error:
        return error.code, json.load(error), error.headers


def upload(path):
    boundary = uuid.uuid4().hex
    with open(path, "rb") as file:
        content = file.read()
    head = f'--{boundary}\r\nContent-Disposition: form-data; name="file"; filename="photo.jpg"\r\nContent-Type: image/jpeg\r\n\r\n'
    body = head.encode() + content + f"\r\n--{boundary}--\r\n".encode()
    return call("POST", "/api/upload", body, {"Content-Type": f"multipart/form-data; boundary={boundary}"})


status, body, headers = upload(sys.argv[1])
seen = {"refused": status}
time.sleep(int(headers["Retry-After"]))
status, body, _ = upload(sys.argv[1])
slug = body["upload"]["slug"]
seen.update(upload=status, size=body["upload"]["size"])
seen["list"] = call("GET", "/api/uploads")[1]["total"]
seen["show"] = call("GET", f"/api/uploads/{slug}")[1]["upload"]["slug"] == slug
seen["delete"] = call("DELETE", f"/api/uploads/{slug}")[0]
seen["missing"] = call("GET", f"/api/uploads/{slug}")[0]
seen["stats"] = call("GET", "/api/stats")[1]["uploads"]
print(json.dumps(seen))
