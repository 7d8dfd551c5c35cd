/// What guessers try first: words that the published rankings of breached passwords begin with, in many languages, and
/// whole passwords of ten and more characters that are made of nothing below.
///
/// Written by hand. With numbers, years, rows of keys and repetitions around them (see `PasswordCover`) the words stand for
/// many thousands of the passwords in such rankings.
enum CommonPasswords {
    static let wordLengths: ClosedRange<Int> = {
        let lengths = words.map(\.count)
        return (lengths.min() ?? 1)...(lengths.max() ?? 1)
    }()

    static func isWord(_ bytes: ArraySlice<UInt8>) -> Bool { words.contains(Array(bytes)) }

    private static let words: Set<[UInt8]> = Set(
        wordText.split(whereSeparator: \.isWhitespace).map { Array($0.utf8) })

    static let whole: Set<String> = Set(wholeText.split(whereSeparator: \.isNewline).map(String.init))

    private static let wordText = """
        password passwort passwd pass word passe motdepasse contrasena clave senha haslo parola wachtwoord heslo geheim secret
        secreto letmein welcome willkommen bienvenue admin administrator root user guest login default change changeme test
        testing tester demo sample example temp temporary trustno1 trustno access master system server service manager
        superuser office company business internet computer laptop windows linux google facebook twitter youtube instagram
        whatsapp snapchat linkedin myspace yahoo gmail hotmail samsung nokia iphone android apple microsoft adobe amazon
        oracle cisco dell sony nintendo playstation xbox pokemon pikachu minecraft fortnite roblox zelda mario luigi sonic
        starwars startrek skywalker vader matrix avatar batman superman spiderman ironman hulk wolverine naruto sasuke goku
        dragonball dragon monkey shadow sunshine princess football baseball basketball soccer hockey tennis golf golfer
        iloveyou iloveu loveyou loveme lovely lover love loves sweet sweetheart honey baby babe babygirl babyboy angel angels
        princesa teamo tequiero jetaime amor amore amour liebe schatz hello hallo hola bonjour salut ciao goodbye hunter
        ranger killer warrior ninja samurai pirate wizard merlin gandalf legolas frodo hobbit phoenix falcon eagle eagles
        tiger tigers tigger lion lions panther panthers leopard jaguar cougar wolf wolves bear bears bulls horse horses
        dolphin dolphins shark sharks snake viper cobra spider scorpion turtle rabbit bunny kitty kitten cats cat dog dogs
        puppy doggy snoopy garfield mickey minnie donald pluto goofy bambi winnie pooh scooby bugsbunny tweety simpsons homer
        bart lisa marge flower flowers rose roses lily daisy jasmine violet orchid tulip summer winter spring autumn january
        february march april may june july august september october november december monday tuesday wednesday thursday
        friday saturday sunday sommer herbst verano invierno red green blue black white yellow orange purple pink silver
        golden gold diamond crystal ruby pearl emerald platinum rainbow star stars starlight moon moonlight sun sunny sunset
        sunrise sky heaven earth fire water ocean river mountain island beach storm thunder lightning snow snowball snowflake
        ice cool hot sexy hottie fuck fuckyou fucker fuckoff shit bitch asshole bastard pussy dick porn sex crazy stupid
        funny happy smile smiley lucky success winner champion victory forever always together family mother father mom mommy
        mama papa daddy dad sister brother friend friends friendship bestfriend amigo amigos jesus christ god godisgood
        jesuschrist bible church faith hope grace blessed blessing peace freedom america american usa england london paris
        berlin germany france espana mexico brasil brazil canada australia india pakistan china japan russia moscow poland
        polska italia italy roma madrid barcelona realmadrid liverpool arsenal chelsea manchester united juventus milan
        inter bayern ajax celtic rangers benfica porto galatasaray fenerbahce besiktas yankees redsox dodgers cubs giants
        cowboys steelers raiders packers broncos patriots lakers celtics jordan michael jackson mercedes porsche ferrari
        lamborghini mustang corvette camaro chevy chevrolet ford toyota honda nissan subaru mazda audi bmw volkswagen
        harley yamaha kawasaki suzuki ducati guitar music rock metal metallica nirvana slipknot eminem beyonce rihanna
        shakira madonna elvis beatles hiphop rapper dance dancer dancing party beer whiskey vodka coffee chocolate cookie
        cookies candy sugar honeybun cupcake banana apple cherry strawberry peaches lemon mango coconut pepper ginger
        cinnamon pumpkin butter cheese pizza burger chicken bacon taco peanut money dollar dollars rich million millionaire
        boss king kings queen prince royal knight legend hero heroes power powerful strong rockstar superstar player gamer
        games game gaming online hacker hacking cracker elite phantom ghost vampire zombie demon devil satan lucifer hell
        angelica michelle jennifer jessica ashley amanda nicole samantha elizabeth stephanie melissa sarah laura linda maria
        mary anna anne hannah emma emily olivia sophia sofia isabella isabel charlotte victoria alexandra alexandria natasha
        natalie vanessa veronica patricia barbara susan karen nancy sandra sharon donna carol christina christine kathleen
        catherine katherine caroline claudia daniela gabriela valentina carolina camila mariana fernanda juliana brittany
        tiffany courtney danielle rachel rebecca heather crystal amber brandy megan kimberly monica angela andrea julia
        daniel david james john robert william richard thomas charles christopher joseph matthew anthony mark steven andrew
        joshua kevin brian george edward ronald timothy jason jeffrey ryan jacob gary nicholas eric jonathan stephen larry
        justin scott brandon benjamin samuel gregory frank alexander patrick raymond jack dennis jerry tyler aaron jose
        henry adam douglas nathan peter zachary kyle walter harold jeremy ethan carl keith roger gerald christian terry sean
        arthur austin noah lawrence jesse joe bryan billy bruce ralph roy bobby johnny philip vincent martin carlos juan
        luis miguel antonio francisco alejandro manuel pedro jorge eduardo roberto fernando ricardo diego sergio pablo
        rafael marco mario luca matteo andreas stefan thomas sebastian florian tobias markus johannes maximilian felix
        lukas alexandre pierre nicolas julien antoine sergey dmitry vladimir nikita andrey ivan natalia tatiana
        mohammed muhammad ahmed mustafa mehmet fatima buster charlie max maxwell rocky bandit bailey cooper molly maggie
        sadie lucy bella coco lola oliver oscar toby jake duke sammy sparky smokey shadow midnight patches boomer casper
        chester precious pebbles peanut scooter skippy trixie zoey ashton tinkerbell cinderella barbie dora hellokitty
        doctor nurse teacher student school college university police soldier marine army navy airforce military sniper
        captain commander general spartan gladiator maverick iceman rambo rocky terminator predator alien aliens startrek
        enterprise blink182 greenday linkinpark acdc ironmaiden pinkfloyd ledzeppelin qwerty qwertz azerty asdf zxcv qwer
        asdfgh zxcvbn qazwsx abc abcd abcdef xyz aaa bbb xxx zzz alpha beta gamma delta omega sigma one two three four five
        six seven eight nine ten zero first second last next number new old big small little good bad best better super mega
        ultra hyper extra real true fake free live life living death dead dying born world planet universe galaxy space
        my your mine yours our the and for you are not but with this that from have what when who how why all any can her his
        him she was were will would could should just like only over such take than them then well here there where
        iam ilove ihate youare imissyou missyou kiss kisses hug hugs heart hearts cutie sweetie sweetpea sugarplum pumpkin
        princess1 mylove mybaby myself mypassword mypass yourself nothing something anything everything everyone nobody
        somebody nopassword nopass noway whatever whocares idontknow dontknow forget forgot remember ididit fucklife
        lovelife lovehate hateyou ihateyou iloveme iloveyou2 iloveyousomuch letmeinnow opensesame abracadabra
        december1 monkey1 football1 sunshine1 blahblah blah haha hahaha lol lmao rofl omg wtf yolo swag dude buddy homie
        gangsta gangster thug pimp player money playboy bunny hustler rebel outlaw cowboy cowgirl texas florida california
        newyork chicago boston dallas houston miami vegas phoenix denver seattle detroit atlanta hawaii brooklyn hollywood
        disney disneyland marvel avengers thor loki captainamerica deadpool joker harley ironman wonderwoman flash arrow
        assassin creed callofduty halo counterstrike warcraft worldofwarcraft diablo starcraft leagueoflegends dota
        overwatch skyrim fallout grandtheftauto wow cod sims tetris pacman donkeykong megaman kirby yoshi peach bowser
        ferret hamster parrot penguin penguins panda pandas koala elephant giraffe zebra monkey gorilla buffalo bulldog
        bulldogs wildcat wildcats hawks hornets rockets blazer trojan trojans pirate pirates raven ravens cardinal cardinals
        titans saints vikings redskins chargers chiefs browns jets colts texans jaguars bengals dolphins
        vfhbyf gfhjkm ghbdtn klaster yfnfif ljcneg privet parol lyubov nastya marina kristina svetlana
        woaini woaini1314 aini wang zhang chen jiang liu yang huang sakura samurai tokyo kawaii doudou loulou chouchou
        nounours soleil marseille bonheur azerty doudou cheval papillon chocolat coucou nathalie caramel tiamo ciaociao
        napoli forzanapoli juventus andrea francesca alessandro alessandra valentina stellina principessa cucciolo
        schalke borussia dortmund hamburg bayern sonnenschein hallo123 ficken arschloch passwort1 schatzi
        estrella princesita bonita hermosa chiquita corazon cariño mivida miamor teamomucho amorcito chocolate
        flamengo corinthians palmeiras santos brasil gostosa felicidade deus jesus deusefiel
        polska kochanie misiek kasia monika agnieszka matrix lol123 zaq12wsx
        """

    private static let wholeText = """
        correcthorsebatterystaple
        correct horse battery staple
        correct-horse-battery-staple
        tobeornottobe
        to be or not to be
        thequickbrownfox
        the quick brown fox
        loremipsum
        lorem ipsum
        onceuponatime
        once upon a time
        maytheforcebewithyou
        may the force be with you
        winteriscoming
        winter is coming
        helloworld
        hello world
        ihavenoidea
        whatsupdoc
        mypasswordis
        thisismypassword
        this is my password
        thisisapassword
        passwordpassword
        iforgotmypassword
        i forgot my password
        dontforgetthis
        everythingisawesome
        neversaynever
        liveloveLaugh
        livelaughlove
        carpediem1
        carpe diem
        hakunamatata
        hakuna matata
        supercalifragilisticexpialidocious
        bismillah1
        bismillah786
        alhamdulillah
        subhanallah
        mashallah1
        insyaallah
        allahuakbar
        sayangkamu
        akucintakamu
        indonesia1
        philippines
        mahalkita1
        mahal kita
        constantine
        massachusetts
        sacramento
        mississippi
        philadelphia
        washington
        unbelievable
        undertaker
        bubblegum1
        butterfly1
        butterflies
        firefighter
        fireworks1
        rainbows12
        watermelon
        strawberry
        blueberry1
        cheeseburger
        cheesecake
        peanutbutter
        chickennuggets
        spongebob1
        squarepants
        spongebobsquarepants
        mickeymouse
        donaldduck
        scoobydoo1
        hellokitty
        tinkerbell
        jackdaniels
        jacksparrow
        johncena54
        johnnydepp
        justinbieber
        onedirection
        mychemicalromance
        systemofadown
        rageagainst
        ladygaga12
        harrypotter
        hermione12
        dumbledore
        slytherin1
        gryffindor
        hufflepuff
        ravenclaw1
        twilight12
        edwardcullen
        lordoftherings
        gameofthrones
        breakingbad
        skateboard
        skateboarding
        basketball
        volleyball
        cheerleader
        gymnastics
        motorcycle
        snowboard1
        snowboarding
        wrestling1
        photography
        engineering
        accounting
        marketing1
        university
        technology
        electronic
        electronics
        experience
        basketcase
        heartbreaker
        heartbreak
        bittersweet
        sweetheart
        sweetdreams
        beautiful1
        beautifulgirl
        wonderful1
        wonderland
        neverland1
        revolution
        metropolis
        millennium
        millenium1
        kangaroo12
        hippopotamus
        alligator1
        chihuahua1
        labrador12
        retriever1
        rottweiler
        weihnachten
        fussball11
        deutschland
        oesterreich
        schweiz123
        kartoffel1
        liverpoolfc
        manchesterunited
        youllneverwalkalone
        arsenal123
        chelseafc1
        barcelona1
        realmadrid
        cristiano7
        ronaldo123
        cristianoronaldo
        lionelmessi
        champions1
        montgomery
        commander1
        federation
        foundation
        generation
        government
        grandmother
        grandfather
        hollywood1
        importante
        impossible
        incredible
        information
        kimberley1
        leadership
        management
        motherfucker
        muthafucka
        myspace123
        newpassword
        oldpassword
        opensesame
        passphrase
        performance
        playground
        production
        professional
        programmer
        programming
        protection
        renaissance
        republican
        resurrection
        rhinoceros
        rumpelstiltskin
        santaclaus
        september11
        sevensamurai
        smackdown1
        southpark1
        springfield
        stonecold1
        stonecoldsteveaustin
        subterranean
        supernatural
        temppassword
        temporary1
        tottenham1
        tottenhamhotspur
        transformers
        trustnoone
        unforgiven
        valentine1
        valentines
        versailles
        volkswagen
        webmaster1
        westham123
        whitehouse
        wintersun1
        yellowstone
        abcdefghij
        abcd123456
        a123456789
        a1b2c3d4e5
        123456789a
        123456789q
        123456abcd
        12345qwert
        1234qwerasdf
        q1w2e3r4t5
        qwerty12345
        qwer1234qwer
        asdf1234asdf
        asdfghjkl;
        zaq1xsw2cde3
        1qaz2wsx3edc
        1qazxsw23edc
        !qaz2wsx#edc
        p@ssw0rd123
        p@ssword123
        passw0rd123
        password12
        password123
        password1234
        pa55word123
        pa$$w0rd123
        welcome123
        welcome1234
        changeme123
        letmein123
        administrator
        adminadmin
        admin12345
        rootroot12
        testtest12
        test123456
        iloveyou12
        iloveyou123
        3141592653
        3.14159265
        2718281828
        0987654321
        9876543210
        1122334455
        1231231234
        1112223334
        5555555555
        """
}
