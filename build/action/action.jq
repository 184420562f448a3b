# What the action makes of what fh upload --json prints.

# A text as a workflow command takes it.
def data: gsub("%"; "%25") | gsub("\r"; "%0D") | gsub("\n"; "%0A");
def property: data | gsub(":"; "%3A") | gsub(","; "%2C");
def annotation(kind; parameters):
  "::\(kind) \(parameters)title=fh upload::\([.message, .hint] | map(select(. != null)) | join("\n") | data)";

# A line of standard error as the log of a job shows it. No line begins with a command that a name or the service wrote.
def log:
  . as $line | (try fromjson catch null) as $event |
  if ($event | type) != "object" then $line | gsub("::"; ": :")
  else $event |
    if .type == "error" then annotation("error"; if .file then "file=\(.file | property)," else "" end)
    elif .type == "warning" then annotation("warning"; "")
    elif .type == "wait" then
      "Waiting \(.delay_ms / 1000 | ceil) s\(if .window then " for the \(.window) quota" else "" end)"
    else $line end
  end;

def stored: .[] | select(.upload != null);
def plain: gsub("[[:cntrl:]]"; " ");
def escaped: plain | gsub("(?<c>[\\\\`*_\\[\\]<>|])"; "\\\(.c)");
def address: gsub("[\\s<>|]"; "");

def links: stored | .upload.direct_url | plain;

def markdown: stored | (.file | split("/") | last | escaped) as $name | .upload |
  if .mime_type | startswith("video/") then "[\($name)](\(.url | plain))" else "![\($name)](\(.direct_url | plain))" end;

# The page of a run takes one megabyte.
def most: 500;
def summary:
  "| File | Result |", "|---|---|",
  (.[:most][] | (.status | gsub("_"; " ")) as $status |
    if .upload then "| \(.file | escaped) | [\($status)](<\(.upload.url | address)>) |"
    else "| \(.file | escaped) | \($status)\(if .error then ": \(.error.message | escaped)" else "" end) |" end),
  if length > most then "", "and \(length - most) more" else empty end;
