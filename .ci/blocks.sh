# For scripts that run what the documentation says: blocks PAGE PATTERN [LANGUAGE] prints the shell blocks of docs/PAGE that have a line with this
# pattern, or those in another language.
blocks() {
  awk -v pattern="$2" -v fence="\`\`\`${3:-sh}" '
    $0 == fence { inside = 1; found = 0; text = ""; next }
    /^```$/ { if (inside && found) printf "%s", text; inside = 0 }
    inside { if ($0 ~ pattern) found = 1; text = text $0 "\n" }' "$checkout/docs/$1"
}
