# Completes `allready` in fish: the program itself says what may come next.
function __allready_next
    set -l words (commandline -opc)
    set -l program $words[1]
    set -e words[1]
    set -l begun (commandline -ct)
    for line in ($program completion --words -- $words "$begun" 2>/dev/null)
        switch $line
            case ':0'
                __fish_complete_path "$begun"
            case ':*'
            case '*'
                echo $line
        end
    end
end
complete -c allready -f -a '(__allready_next)'
