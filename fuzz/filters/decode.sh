echo ZWNobyBoaQ== | base64 -d | sed -e 's/hi/ho/' -e '1!d' | awk '{ print $2, $1 }' | sh
